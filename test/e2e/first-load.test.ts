import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPortal, type Portal } from '../support/portal-page.ts'
import type { Person, TestOrganization } from '../support/world.ts'

const BUDGET = 200_000

describe('P8: the first load has at most 200 KB of JavaScript, gzipped', () => {
  let portal: Portal
  let ada: Person
  let acme: TestOrganization
  beforeAll(async () => {
    portal = await openPortal()
    ada = await portal.world.signUp('Ada')
    acme = await portal.world.organization('Acme', { admin: ada })
    await portal.world.support(ada)
    await portal.world.generateKey(ada, acme)
  })
  afterAll(() => portal.close())

  it.each(['/sign-in', '/sign-up', '/invitations#none', '/reset-password#none'])('%s', async (path) => {
    const page = await portal.open({ path })
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await scriptBytes(page)).toBeLessThanOrEqual(BUDGET)
  })

  it.each([
    '/acme/devices',
    '/acme/users',
    '/acme/users/api-keys',
    '/acme/profile',
    '/acme/settings',
    '/acme/audit',
    '/support',
  ])('%s', async (path) => {
    const page = await portal.signIn(ada, { path })
    await page.getByRole('heading', { level: 1 }).waitFor()
    if (path.endsWith('api-keys')) await page.getByRole('button', { name: 'Generate Key' }).waitFor()
    expect(await scriptBytes(page)).toBeLessThanOrEqual(BUDGET)
  })

  /** Every script that the page has loaded, as it lies gzipped beside the plain one. */
  async function scriptBytes(page: Page): Promise<number> {
    await page.waitForLoadState('networkidle')
    const urls = (await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)')) as string[]
    const paths = urls.map((url) => new URL(url).pathname).filter((path) => path.endsWith('.js'))
    expect(paths.length).toBeGreaterThan(2)
    return paths.reduce((sum, path) => sum + statSync(join(portal.webDir, `${path}.gz`)).size, 0)
  }
})
