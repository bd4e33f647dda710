import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { supportStaff } from '../support/people.ts'
import { inPortal } from '../support/portal-fixtures.ts'

const BUDGET = 200_000

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))
  .extend('acme', { scope: 'file' }, async ({ world, ada }) => {
    const acme = await world.organization('Acme', { admin: ada })
    await acme.generateKey()
    return acme
  })

describe('P8: the first load has at most 200 KB of JavaScript, gzipped', () => {
  it.for(['/sign-in', '/sign-up', '/invitations#none', '/reset-password#none'])('%s', async (path, { portal }) => {
    const page = await portal.open({ path })
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await scriptBytes(page, portal.webDir)).toBeLessThanOrEqual(BUDGET)
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
    expect(await scriptBytes(page, portal.webDir)).toBeLessThanOrEqual(BUDGET)
  })

  /** Every script that the page has loaded, as it lies gzipped beside the plain one. */
  async function scriptBytes(page: Page, webDir: string): Promise<number> {
    await page.waitForLoadState('networkidle')
    const urls = (await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')) as string[]
    const paths = urls.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))
    expect(paths.length).toBeGreaterThan(2)
    return paths.reduce((sum, path) => sum + statSync(join(webDir, `${path}.gz`)).size, 0)
  }
})
