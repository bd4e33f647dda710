import type { Locator } from 'playwright-core'
import { describe, expect } from 'vitest'
import {
  countOf,
  expiredKey,
  installClock,
  labelsIn,
  noSidewaysScrollInDialogs,
  panelOf,
  rowOf,
} from '../support/browser/api-keys-panel.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE, type Portal, press, WIDE } from '../support/browser/portal-page.ts'
import { keyRow } from '../support/world/inserted-keys.ts'

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
  it('says which of how many it shows, page by page: no active key is hidden', async ({ openPanel }) => {
    const page = await openPanel()
    const panel = panelOf(page)
    const pages = panel.getByRole('navigation', { name: 'Pages' })
    await pages.getByText(`1–25 of ${MANY}`).waitFor()
    expect(await labelsIn(page)).toHaveLength(25)
    await expectAccessible(page)
    for (let from = 26; from <= MANY; from += 25) {
      await pages.getByRole('button', { name: 'Next' }).click()
      await pages.getByText(`${from}–${Math.min(from + 24, MANY)} of ${MANY}`).waitFor()
    }
    await rowOf(page, 'the oldest').waitFor()
    expect(await pages.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true')
    expect(await page.locator(':focus').textContent()).toBe('Next')

    await page.reload()
    await rowOf(page, 'the oldest').waitFor()
    await page.goBack()
    await pages.getByText(`176–200 of ${MANY}`).waitFor()
    await panel.getByRole('searchbox', { name: 'Search' }).fill('key')
    await pages.getByText(`1–25 of ${MANY - 1}`).waitFor()
  })

  it.for([1280, 800])(
    'its heads stay in sight while it scrolls, below what is done with selected keys: %s pixels wide',
    async (width, { openPanel }) => {
      const page = await openPanel({ viewport: { width, height: 600 } })
      const topOf = async (name: string) =>
        (await panelOf(page).getByRole('columnheader', { name, exact: true }).boundingBox())?.y ?? 0
      const bottomOf = async (locator: Locator) => {
        const { y = 0, height = 0 } = (await locator.boundingBox()) ?? {}
        return Math.round(y + height)
      }
      const last = panelOf(page).getByRole('row').last()
      await last.scrollIntoViewIfNeeded()
      expect(Math.round(await topOf('Last used'))).toBe(await bottomOf(panelOf(page).getByRole('presentation').first()))
      await press(page, 'Select')
      await last.getByRole('checkbox').check()
      const bar = panelOf(page).getByText('1 selected').locator('xpath=../..')
      expect(Math.round(await topOf('Last used'))).toBe(await bottomOf(bar))
      await expectAccessible(page)
    },
  )

  it('twelve keys are in sight on a screen of 1280 × 800', async ({ portal, ada, acme }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys`, ...WIDE })
    await rowOf(page, 'key 210').waitFor()
    const bottoms = (await page.evaluate(
      `[...document.querySelectorAll('[data-key]')].map((row) => row.getBoundingClientRect().bottom)`,
    )) as number[]
    expect(bottoms.filter((bottom) => bottom <= WIDE.viewport.height).length).toBeGreaterThanOrEqual(12)
  })

  it('is sorted at the head of a column, on all pages, and begins at the first one', async ({ openPanel }) => {
    const page = await openPanel(WIDE)
    const panel = panelOf(page)
    const head = panel.getByRole('columnheader', { name: 'Key' })
    await panel.getByRole('button', { name: 'Next' }).click()
    await panel.getByText(`26–50 of ${MANY}`).waitFor()
    expect(await head.getAttribute('aria-sort')).toBe(null)
    await head.getByRole('button').click()
    await expect.poll(async () => (await labelsIn(page))[0]).toBe('key 0')
    await panel.getByText(`1–25 of ${MANY}`).waitFor()
    expect([await head.getAttribute('aria-sort'), new URL(page.url()).search]).toEqual(['ascending', '?sort=label'])
    await page.keyboard.press('Enter')
    await rowOf(page, 'the oldest').waitFor()
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    expect(await panel.getByLabel('Sort').inputValue()).toBe('-label')
    await page.goBack()
    await expect.poll(async () => (await labelsIn(page))[0]).toBe('key 0')
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
    const pass = await installClock(page)
    await page.reload()
    await panelOf(page).getByText(`${MANY} keys`).waitFor()
    await page.waitForLoadState('networkidle')
    const lists = countOf(page, 'ApiKeys')
    await pass(30_000) // real time goes on as well: all of these are far from 45 seconds
    expect(lists()).toBe(0)
    await pass(20_000)
    await expect.poll(lists).toBe(3)
  })

  it('expired keys can be hidden, or shown alone', async ({ world, portal, ada }) => {
    const other = await world.organization('Other', { admin: ada })
    await expiredKey(portal, ada, other, 'over')
    await other.generateKey({ label: 'active' })
    const page = await portal.signIn(ada, { path: `/${other.slug}/users/api-keys` })
    await page.getByLabel('Status').selectOption('active')
    await expect.poll(() => labelsIn(page)).toEqual(['active'])
    await page.getByLabel('Status').selectOption('expired')
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
    const pass = await installClock(page)
    await page.reload()
    await rowOf(page, 'first').waitFor()
    await page.waitForLoadState('networkidle')
    const lists = countOf(page, 'ApiKeys')
    await pass(8_000) // real time goes on as well
    expect(lists()).toBe(0)
    await other.generateKey({ label: 'second' })
    await pass(8_000)
    await rowOf(page, 'second').waitFor()
    expect(lists()).toBe(1)
    await other.generateKey({ label: 'third' })
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await rowOf(page, 'third').waitFor()
  })

  it('waits when it is rate limited, and says so', async ({ openPanel }) => {
    const page = await openPanel({ mayComplain: /429/ })
    const pass = await installClock(page)
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
    await pass(61_000)
    await panelOf(page).getByText('Too many requests. Wait 5 minutes, then try again.').waitFor()
    expect(lists()).toBe(1)
    await pass(240_000)
    expect(lists()).toBe(1)
    await pass(61_000)
    await expect.poll(lists).toBe(2)
  })
})
