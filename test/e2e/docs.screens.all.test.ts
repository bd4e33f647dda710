import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { drawn, holdRequests } from '../support/browser/held-requests.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, PHONE } from '../support/browser/portal-page.ts'

const it = inPortal()

describe('the documents', () => {
  it('are read without signing in, from the list to a section of another document', async ({ portal }) => {
    const page = await portal.open({ path: '/docs/' })
    await heading(page, 'Documents').waitFor()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'The API', exact: true }).click()
    await heading(page, 'The API').waitFor()
    await expectAccessible(page)
    await page.getByRole('main').getByRole('link', { name: 'operations.md' }).first().click()
    await heading(page, 'Operations').waitFor()
    expect(page.url()).toMatch(/\/docs\/operations#browsers$/)
    await expectAccessible(page)
  })

  it('on a phone the contents are behind a button, which works by keyboard', async ({ portal }) => {
    const page = await portal.open({ path: '/docs/errors', viewport: PHONE })
    await heading(page, 'Errors').waitFor()
    const menu = page.getByRole('navigation', { name: 'Documents' })
    expect(await menu.isVisible()).toBe(false)
    await page.locator('summary').focus()
    await page.keyboard.press('Enter')
    await menu.waitFor()
    await expectAccessible(page)
    await menu.getByRole('link', { name: 'Operations' }).press('Enter')
    await heading(page, 'Operations').waitFor()
    await expectAccessible(page)
  })

  it('an address without anything says so, and leads on', async ({ portal }) => {
    const page = await portal.open({ path: '/nothing.php' })
    await heading(page, 'Not found').waitFor()
    expect(await page.title()).toBe('Not found · Edge Management Portal')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Read the documents' }).click()
    await heading(page, 'Documents').waitFor()
  })
})

describe('the pages without scripts', () => {
  const faces = '[...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).map(({ cssText }) => cssText)'
  const font = /\/assets\/geist-[\w-]+\.woff2/
  const fontsOf = async (page: Page) =>
    (await page.evaluate<string[]>(faces)).flatMap((rule) => font.exec(rule)?.[0] ?? [])

  it.for(['/docs/api', '/nothing.php'])(
    '%s has the typefaces of the web interface, from the same files',
    async (path, { portal }) => {
      const web = await portal.open({ path: '/sign-in' })
      const ofWeb = await fontsOf(web)
      const page = await portal.open({ path })
      expect(await fontsOf(page)).toEqual(ofWeb)
      expect(ofWeb).toHaveLength(2)
      const loaded = '[...document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => family)'
      await expect.poll(() => page.evaluate(loaded)).toContain('Geist')
      expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(/^Geist,/)
    },
  )

  it('ask for them with the page, and nothing moves when they arrive late', async ({ portal }) => {
    const page = await portal.open({ path: 'about:blank' })
    await page.addInitScript(
      'window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries())).observe({ type: "layout-shift", buffered: true })',
    )
    const asked = new Set<string>()
    page.on('request', (request) => font.test(request.url()) && asked.add(request.url()))
    const letThemGo = await holdRequests(page, font)
    await page.goto('/docs/api', { waitUntil: 'commit' })
    await heading(page, 'The API').waitFor()
    await drawn(page)
    expect(asked.size).toBe(2)
    letThemGo()
    await page.evaluate('document.fonts.ready.then(() => undefined)')
    await drawn(page)
    expect(await page.evaluate('shifts.length')).toBe(0)
  })
})
