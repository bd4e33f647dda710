import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { busyAccounts } from '../support/browser/first-visit.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import {
  expectAccessible,
  goOffline,
  goOnline,
  heading,
  noSidewaysScroll,
  PHONE,
  press,
} from '../support/browser/portal-page.ts'

const NO_CODE = /Failed to fetch dynamically imported module|net::ERR_|error loading dynamically imported module/
const PART = 'A part of this page could not be loaded. Reload the page: the portal may have been updated.'
const UNREACHABLE = 'Can’t reach the portal. Check your connection and try again.'

const it = inPortal().extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

/** As after an upgrade: the server has other files now. The result brings them back. */
async function gone(page: Page, ...names: string[]): Promise<() => Promise<void>> {
  const files = new RegExp(`/assets/(${names.join('|')})-[\\w-]+\\.js$`)
  await page.route(files, (route) => route.fulfill({ status: 404, body: 'Not found' }))
  return () => page.unroute(files)
}

describe('code that cannot be loaded', () => {
  it('of a page, after an upgrade: the page is loaded again, with the new code', async ({ portal, ada, accounts }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/devices'), mayComplain: NO_CODE })
    await heading(page, 'Devices').waitFor()
    const back = await gone(page, 'AuditPage')
    let loads = 0
    await page.route(/\/audit$/, async (route) => {
      loads++
      await back()
      await route.fallback()
    })
    await page.getByRole('link', { name: 'Audit' }).click()
    await heading(page, 'Audit').waitFor()
    expect(loads).toBe(1)
  })

  it('of a page, even after that: it says so, the rest can be used, and it can be tried again', async ({
    portal,
    ada,
    accounts,
  }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/devices'), mayComplain: NO_CODE })
    await heading(page, 'Devices').waitFor()
    const back = await gone(page, 'AuditPage')
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText(PART).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Devices' }).click()
    await heading(page, 'Devices').waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText(PART).waitFor()
    await back()
    await press(page, 'Try again')
    await heading(page, 'Audit').waitFor()
  })

  it('of a page, without a connection: it says so, can be tried again, and is there once the connection is', async ({
    portal,
    ada,
    accounts,
  }) => {
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/devices'), mayComplain: NO_CODE })
    await heading(page, 'Devices').waitFor()
    await goOffline(page)
    await page.getByRole('link', { name: 'API', exact: true }).click()
    await page.getByText(UNREACHABLE).waitFor()
    await press(page, 'Try again')
    await page.getByText('Still can’t reach the portal.').waitFor()
    await goOnline(page)
    await heading(page, 'API').waitFor()
  })

  it('of a part: its place says so, the page stays, and a reload brings it', async ({ portal, ada, accounts }) => {
    const page = await portal.signIn(ada, { path: 'about:blank', mayComplain: NO_CODE })
    const back = await gone(page, 'Explorer')
    await page.goto(accounts.pathOf('/$slug/api/explorer'))
    await heading(page, 'API explorer').waitFor()
    await page.getByRole('alert').filter({ hasText: PART }).waitFor()
    await page.getByRole('link', { name: 'Reference' }).waitFor()
    await expectAccessible(page)
    await back()
    await page.reload()
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
    expect(await page.getByText(PART).count()).toBe(0)
  })

  it.for([undefined, PHONE])(
    'of a dialog: a notice says so, the page stays, and after a reload it opens',
    async (viewport, { portal, ada, accounts }) => {
      const path = accounts.pathOf('/$slug/devices')
      const page = await portal.signIn(ada, { path, mayComplain: NO_CODE, ...(viewport && { viewport }) })
      const back = await gone(page, 'AddDevice')
      await press(page, 'Add device')
      await page.getByRole('alert').filter({ hasText: PART }).waitFor()
      await heading(page, 'Devices').waitFor()
      await expectAccessible(page)
      await back()
      await page.reload()
      await press(page, 'Add device')
      await page.getByRole('dialog', { name: 'Add device' }).waitFor()
    },
  )

  it.for([
    ['after an upgrade', { status: 404 }],
    ['without a connection', undefined],
  ] as const)(
    'of every page, %s: a sentence takes the place of the frame, and a reload brings the page',
    async ([, answer], { portal, accounts }) => {
      for (const path of ['/sign-in', accounts.pathOf('/$slug/devices')]) {
        const page = await portal.open({ path: 'about:blank', viewport: PHONE, mayComplain: NO_CODE })
        const files = /\/assets\/shared-[\w-]+\.js$/
        await page.route(files, (route) => (answer ? route.fulfill(answer) : route.abort('internetdisconnected')))
        await page.goto(path)
        await page.getByRole('alert').getByText('The page could not be loaded.').waitFor()
        expect(await page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
        await noSidewaysScroll(page)
        await page.unroute(files)
        await press(page, 'Reload')
        await heading(page, 'Sign in').waitFor()
      }
    },
  )
})
