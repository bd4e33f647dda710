import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { supportStaff } from '../support/people.ts'
import { inPortal } from '../support/portal-fixtures.ts'

const MAX_FILES = 12
const MAX_BYTES = 160_000

/** What comes after the page is there, and is not waited for. */
const LATER = /\/(key-notices|usage|notices)-[\w-]+\.js$/

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))
  .extend('acme', { scope: 'file' }, async ({ world, ada }) => {
    const acme = await world.organization('Acme', { admin: ada })
    await acme.generateKey()
    return acme
  })

describe('P8: the first load has at most 12 script files, and 160 KB of them gzipped', () => {
  it.for(['/sign-in', '/sign-up', '/invitations#none', '/reset-password#none'])('%s', async (path, { portal }) => {
    const page = await portal.open({ path })
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expectFirstLoad(page, portal.webDir)
  })

  it.for([
    '/acme/overview',
    '/acme/devices',
    '/acme/users',
    '/acme/users/api-keys',
    '/acme/profile',
    '/acme/settings',
    '/acme/settings/webhooks',
    '/acme/audit',
    '/acme/api',
    '/acme/api/reference',
    '/support',
  ])('%s', async (path, { portal, acme }) => {
    const page = await portal.signIn(acme.admin, { path })
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (path.endsWith('api-keys')) await page.getByRole('button', { name: 'Generate Key' }).waitFor()
    await expectFirstLoad(page, portal.webDir)
  })

  /** Every script that the page has loaded was named in it, and lies gzipped beside the plain one. */
  async function expectFirstLoad(page: Page, webDir: string): Promise<void> {
    await page.waitForLoadState('networkidle')
    const urls = (await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')) as string[]
    const scripts = urls.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))
    const named = (await page.evaluate(
      '[...document.querySelectorAll("link[rel=modulepreload], script[src]")].map((each) => each.getAttribute("href") ?? each.getAttribute("src"))',
    )) as string[]
    const { later, loaded } = Object.groupBy(scripts, (path) => (LATER.test(path) ? 'later' : 'loaded'))
    expect(loaded?.length).toBeGreaterThan(4)
    expect(named).toEqual(expect.arrayContaining(loaded ?? []))
    expect(loaded?.length).toBeLessThanOrEqual(MAX_FILES)
    const bytes = (loaded ?? []).reduce((sum, path) => sum + statSync(join(webDir, `${path}.gz`)).size, 0)
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES)
    expect(later ?? []).toEqual([...new Set(later)])
  }
})
