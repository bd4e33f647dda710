import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { busyAccounts, shown } from '../support/browser/first-visit.ts'
import { drawn, slowDown } from '../support/browser/held-requests.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { PHONE, WIDE } from '../support/browser/portal-page.ts'

const MAX_SHIFT = 0.02

interface Shift {
  value: number
  moved: string[]
}

/** Writes down every shift, with what moved. */
const OBSERVE = `window.shifts = []
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries())
    if (!hadRecentInput)
      shifts.push({ value, moved: sources.map(({ node }) => node?.outerHTML?.slice(0, 200) ?? node?.textContent ?? '') })
}).observe({ type: 'layout-shift', buffered: true })`

const it = inPortal().extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

const PAGES = ['/sign-in', '/$slug/overview', '/$slug/devices', '/$slug/users/api-keys', '/$slug/settings']
const SCREENS = { phone: { viewport: PHONE }, desktop: WIDE }

describe('a page does not move while its parts arrive, the notice of expiring keys among them', () => {
  for (const [name, screen] of Object.entries(SCREENS)) {
    it.for(PAGES)(`on a ${name}: %s`, async (route, { portal, ada, accounts }) => {
      const isOpen = route === '/sign-in'
      const options = { ...screen, path: 'about:blank' }
      const page = await (isOpen ? portal.open(options) : portal.signIn(ada, options))
      await page.addInitScript(OBSERVE)
      await slowDown(page, /\/portal\/graphql$|\/(key-notices|usage)-[\w-]+\.js$/)
      await page.goto(accounts.pathOf(route), { waitUntil: 'commit' })
      await shown(page)
      if (!isOpen) await page.getByRole('complementary', { name: 'API keys that expire soon' }).waitFor()
      await drawn(page)
      const shifts = await shiftsOf(page)
      expect(
        shifts.reduce((sum, { value }) => sum + value, 0),
        JSON.stringify(shifts),
      ).toBeLessThanOrEqual(MAX_SHIFT)
    })
  }
})

const shiftsOf = (page: Page) => page.evaluate('shifts') as Promise<Shift[]>
