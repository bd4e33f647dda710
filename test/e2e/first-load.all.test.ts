import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { WEB_ROUTES } from '../../server/http/web-routes.ts'
import { busyAccounts, settled, watchScripts } from '../support/browser/first-visit.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { supportStaff } from '../support/world/people.ts'

const MAX_FILES = 12
const MAX_BYTES = 200_000

/** Its editor, which is all that the page is for, is larger than the portal. */
const EXPLORER = '/$slug/api/explorer'

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))
  .extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

describe('P8: without a click, a page loads at most 12 script files, and 200 KB of them gzipped', () => {
  it.for(WEB_ROUTES)('%s', async (route, { portal, ada, accounts }) => {
    const isOpen = /^\/(sign|forgot|reset|verify|invitations)/.test(route)
    const page = await (isOpen ? portal.open({ path: 'about:blank' }) : portal.signIn(ada, { path: 'about:blank' }))
    const scripts = watchScripts(page)
    await page.clock.install()
    await page.goto(accounts.pathOf(route))
    await settled(page)
    const loaded = [...scripts]
    const named = await namedIn(page)
    const unnamed = loaded.filter((path) => !named.includes(path))
    if (route !== EXPLORER) expect(unnamed).toEqual([])
    const counted = route === EXPLORER ? loaded.filter((path) => named.includes(path)) : loaded
    const bytes = counted.reduce((sum, path) => sum + statSync(join(portal.webDir, `${path}.gz`)).size, 0)
    expect(counted.length).toBeGreaterThan(2)
    expect(counted.length, counted.join(' ')).toBeLessThanOrEqual(MAX_FILES)
    expect(bytes, counted.join(' ')).toBeLessThanOrEqual(MAX_BYTES)
  })
})

/** The scripts that the HTML of the page names, so that the browser fetches them at once. */
const namedIn = async (page: Page) =>
  (await page.evaluate(
    '[...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((each) => each.getAttribute("href") ?? each.getAttribute("src"))',
  )) as string[]
