import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noSidewaysScroll, noViolations } from '../support/page-checks.ts'
import { openPortal, type Portal } from '../support/portal-page.ts'

describe('the frame', () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal.close())

  it('shows the users page', async () => {
    const ada = await portal.world.signUp('Ada')
    const acme = await portal.world.organization('Acme', { admin: ada })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })
    await page.getByRole('heading', { name: 'Users' }).waitFor()
    await noViolations(page)
    await noSidewaysScroll(page)
    expect(await page.title()).toBe('Users · Acme · Edge Management Portal')
  })
})
