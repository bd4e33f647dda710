import { describe, expect } from 'vitest'
import { fact, inKeyPage, section, use } from '../support/browser/api-key-page.ts'
import { expectAccessible, heading, PHONE, WIDE } from '../support/browser/portal-page.ts'
import { countCalls } from '../support/world/count-calls.ts'
import type { TestKey, World } from '../support/world/world.ts'

const DAY_MS = 86_400_000

const it = inKeyPage()

const BEYOND = `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(
  document.querySelector('[aria-label="Accepted calls"]'))`

/** As if it had been generated so long ago, and used for this since. */
async function usedFor(world: World, { id }: TestKey, fields: string[], { days = 20 } = {}) {
  await world.database.transaction((db) =>
    db
      .updateTable('apiKey')
      .set({ createdAt: Date.now() - days * DAY_MS })
      .where('id', '=', id)
      .execute(),
  )
  await countCalls(world.database, [id], { at: Date.now() - DAY_MS, fields })
}

describe('the access of a key on its page', () => {
  it('is narrowed to what the key does, after a question that says what is lost', async ({ world, acme, pageOf }) => {
    const key = await acme.generateKey({ label: 'gateway' })
    await usedFor(world, key, ['checkInDevice', 'viewer'])
    const page = await pageOf(key)
    const access = section(page, 'Access')
    await access.getByText('Used in the last 30 days: checkInDevice, viewer').waitFor()
    await access.getByText('Check-in would have been enough.').waitFor()
    await access.getByText('What a narrower access would have refused').click()
    await access.getByRole('row', { name: 'Read only checkInDevice (1 call)' }).waitFor()
    await expectAccessible(page)

    await access.getByRole('button', { name: 'Narrow to Check-in' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Narrow gateway to Check-in?' })
    await dialog.getByText('It can no longer list, add, change or delete devices').waitFor()
    await dialog.getByText('Would have been refused in the last 30 days: Nothing.').waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await access.getByRole('button', { name: 'Narrow to Check-in' }).click()
    await dialog.getByRole('button', { name: 'Narrow to Check-in' }).click()
    await access.getByText('No narrower access would have been enough.').waitFor()
    expect(await fact(page, 'Access').innerText()).toBe('Check-in')
    expect((await world.asKey(key.secret).call('{ users { data { id } } }')).errors).toMatchObject([
      { code: 'FORBIDDEN' },
    ])
  })

  it('says honestly that too little is known', async ({ world, acme, pageOf }) => {
    const key = await acme.generateKey({ label: 'young' })
    const page = await pageOf(key)
    await section(page, 'Access').getByText('Not enough usage yet').waitFor()
    await usedFor(world, key, ['devices'], { days: 3 })
    await page.reload()
    await section(page, 'Access').getByText('it takes 7 days, and calls have been counted for 3 days.').waitFor()
    expect(await page.getByRole('button', { name: /^Narrow/ }).count()).toBe(0)
  })

  it('a key is renamed, paused and resumed on its page', async ({ acme, pageOf }) => {
    const page = await pageOf(await acme.generateKey({ label: 'first name' }))
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('textbox', { name: 'New label for first name' }).fill('second name')
    await page.keyboard.press('Enter')
    await heading(page, 'second name').waitFor()
    await page.getByText('Renamed to “second name”.').waitFor()
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Rename')

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('menuitem', { name: /until/i }).click()
    await page.getByText('This key is paused').waitFor()
    expect(await fact(page, 'Status').innerText()).toBe('Paused')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await expect.poll(() => fact(page, 'Status').innerText()).toBe('Active')
  })
})

describe('the calls of a key on its page', () => {
  it('are listed one by one, and stay for the day when the key is revoked', async ({ world, acme, pageOf }) => {
    const key = await acme.generateKey({ label: 'nightly' })
    await use(world, key, 12)
    const page = await pageOf(key)
    const calls = section(page, 'Calls')
    await calls.getByText('Accepted (12)').waitFor()
    await calls
      .getByRole('row', { name: /Nightly .*127\.0\.0\.1 200 [\d.,]+ ms$/ })
      .first()
      .waitFor()
    await calls.getByRole('button', { name: 'Show all 12' }).click()
    await expect.poll(() => calls.getByRole('row').count()).toBe(13)
    await page.setViewportSize(PHONE)
    await expect.poll(() => calls.getByRole('columnheader').allInnerTexts()).toEqual(['Operation', 'Status'])
    const beyond = await page.evaluate(BEYOND)
    expect(beyond, 'pixels beyond the right edge').toBe(0)
    await page.setViewportSize(WIDE.viewport)
    await calls.getByText('Refused (0)').click()
    await calls.getByText('No refused calls in the last 24 hours.').waitFor()
    await expectAccessible(page)

    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id, reason: "found in a log") { ids } }'
    await acme.call(revoke, { id: key.id })
    await heading(page, 'This key no longer exists').waitFor()
    await expect.poll(() => fact(page, 'Reason').innerText()).toBe('found in a log')
    expect(await fact(page, 'Revoked by').innerText()).toBe('Ada')
    await section(page, 'Calls').getByText('Accepted (12)').waitFor()
    await page.reload()
    await heading(page, 'This key no longer exists').waitFor()
    await expectAccessible(page)
  })

  it('a chart has a scale, and is read day by day with a pointer or the arrow keys', async ({
    world,
    acme,
    pageOf,
  }) => {
    const key = await acme.generateKey({ label: 'charted' })
    for (let i = 0; i < 7; i++) await countCalls(world.database, [key.id], { at: Date.now() - 2 * DAY_MS })
    const page = await pageOf(key)
    const byDay = section(page, 'By day')
    await byDay.getByRole('img', { name: '7 calls in 90 days' }).waitFor()
    for (const number of ['0', '4', '8']) await byDay.getByText(number, { exact: true }).first().waitFor()

    const cursor = byDay.getByRole('slider')
    await cursor.focus()
    await expect.poll(() => cursor.getAttribute('aria-valuetext')).toContain('No calls')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => cursor.getAttribute('aria-valuetext')).toMatch(/: 7 calls$/)
    await byDay.getByText(/: 7 calls$/).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await byDay.getByText(/: 7 calls$/).waitFor({ state: 'detached' })
    const box = await cursor.boundingBox()
    if (!box) throw new Error('No chart.')
    await cursor.hover({ position: { x: (box.width * 87.5) / 90, y: box.height / 2 } })
    await byDay.getByText(/: 7 calls$/).waitFor()
  })
})
