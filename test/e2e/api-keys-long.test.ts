import { describe, expect } from 'vitest'
import { countOf, expiredKey, labelsIn, noSidewaysScrollInDialogs, panelOf, rowOf } from '../support/api-keys-panel.ts'
import { keyRow } from '../support/inserted-keys.ts'
import { inPortal } from '../support/portal-fixtures.ts'
import { expectAccessible, PHONE, type Portal } from '../support/portal-page.ts'

const MANY = 212

const it = inPortal()
  .extend('acme', { scope: 'file' }, async ({ world, ada }) => {
    const acme = await world.organization('Acme', { admin: ada })
    await acme.generateKey({ label: 'the oldest' })
    const { id: organizationId } = acme
    const rows = Array.from({ length: MANY - 1 }, (_, i) =>
      keyRow({ organizationId, label: `key ${i}`, createdAt: Date.now() + 1 + i, expiresAt: null }),
    )
    await world.database.transaction((db) => db.insertInto('apiKey').values(rows).execute())
    return acme
  })
  .extend('openPanel', ({ portal, ada, acme }) => async (options: Parameters<Portal['signIn']>[1] = {}) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys`, ...options })
    await panelOf(page).getByText(`${MANY} keys`).waitFor()
    return page
  })

describe('a long list of keys', () => {
  it('says how many of how many it shows, and shows more on request: no active key is hidden', async ({
    openPanel,
  }) => {
    const page = await openPanel()
    const panel = panelOf(page)
    await panel.getByText(`Showing 50 of ${MANY}`).waitFor()
    expect(await labelsIn(page)).toHaveLength(50)
    await expectAccessible(page)
    for (const shown of [100, 150, 200, MANY]) {
      await panel.getByRole('button', { name: 'Show more' }).click()
      await panel.getByText(`Showing ${shown} of ${MANY}`).waitFor()
    }
    await rowOf(page, 'the oldest').waitFor()
    expect(await panel.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  })

  it('the oldest key is found by its label, and by sorting', async ({ openPanel }) => {
    const page = await openPanel()
    await page.getByRole('searchbox', { name: 'Search' }).fill('the oldest')
    await rowOf(page, 'the oldest').waitFor()
    expect(await labelsIn(page)).toEqual(['the oldest'])
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
  })

  it('requests little: 100 keys at a time, and one page every 15 seconds however many there are', async ({
    openPanel,
  }) => {
    const page = await openPanel()
    await page.clock.install()
    await page.reload()
    await panelOf(page).getByText(`${MANY} keys`).waitFor()
    await page.waitForLoadState('networkidle')
    const lists = countOf(page, 'ApiKeys')
    await page.clock.runFor(30_000) // real time goes on as well: all of these are far from 45 seconds
    expect(lists()).toBe(0)
    await page.clock.runFor(20_000)
    await expect.poll(lists).toBe(3)
  })

  it('expired keys can be hidden, or shown alone', async ({ world, portal, ada }) => {
    const other = await world.organization('Other', { admin: ada })
    await expiredKey(portal, ada, other, 'over')
    await other.generateKey({ label: 'active' })
    const page = await portal.signIn(ada, { path: `/${other.slug}/users/api-keys` })
    await page.getByLabel('Status').selectOption('Active keys')
    await expect.poll(() => labelsIn(page)).toEqual(['active'])
    await page.getByLabel('Status').selectOption('Expired keys')
    await expect.poll(() => labelsIn(page)).toEqual(['over'])
  })

  it('a short list is refreshed every 15 seconds, and at once when the window gets focus', async ({
    world,
    portal,
    ada,
  }) => {
    const other = await world.organization('Other', { admin: ada })
    await other.generateKey({ label: 'first' })
    const page = await portal.signIn(ada, { path: `/${other.slug}/users/api-keys` })
    await page.clock.install()
    await page.reload()
    await rowOf(page, 'first').waitFor()
    await page.waitForLoadState('networkidle')
    const lists = countOf(page, 'ApiKeys')
    await page.clock.runFor(8_000) // real time goes on as well
    expect(lists()).toBe(0)
    await other.generateKey({ label: 'second' })
    await page.clock.runFor(8_000)
    await rowOf(page, 'second').waitFor()
    expect(lists()).toBe(1)
    await other.generateKey({ label: 'third' })
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await rowOf(page, 'third').waitFor({ timeout: 10_000 })
  })

  it('waits when it is rate limited, and says so', async ({ openPanel }) => {
    const page = await openPanel({ mayComplain: /429/ })
    await page.clock.install()
    await page.reload()
    await panelOf(page).getByText(`${MANY} keys`).waitFor()
    const lists = countOf(page, 'ApiKeys')
    const refusal = { message: 'Too many requests. Wait for the time in Retry-After, then try again.' }
    const errors = [{ ...refusal, extensions: { code: 'RATE_LIMITED', requestId: 'r' } }]
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes('query ApiKeys(')
        ? route.fulfill({ status: 429, headers: { 'retry-after': '300' }, json: { errors } })
        : route.fallback(),
    )
    await page.clock.fastForward(61_000) // one list, however slowly the answer arrives
    await panelOf(page).getByText('Too many requests. Wait 5 minutes, then try again.').waitFor()
    expect(lists()).toBe(1)
    await page.clock.runFor(240_000)
    expect(lists()).toBe(1)
    await page.clock.runFor(61_000)
    await expect.poll(lists).toBe(2)
  })
})
