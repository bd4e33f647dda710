import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { differences, stylesOf } from '../support/browser/computed-styles.ts'
import { busyAccounts } from '../support/browser/first-visit.ts'
import { startOutageProxy } from '../support/browser/outage-proxy.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, type Portal, press } from '../support/browser/portal-page.ts'
import type { Person } from '../support/world/world.ts'

/** What the browser says of an outage, and of a portal behind another address. */
const mayComplain = /net::ERR_|Failed to fetch dynamically imported module|^http:\/\/127\.0\.0\.1/

const NOT_RESPONDING = 'Can’t reach the portal. Retrying…'

const it = inPortal().extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

/** Somebody who looks at a page, and a portal that can be stopped. */
async function behindProxy(portal: Portal, { email, password }: Person, path: string) {
  const proxy = await startOutageProxy(portal.world.url)
  const page = await portal.open({ path: 'about:blank', mayComplain })
  await page.context().request.post(`${proxy.url}/auth/sign-in`, { data: { email, password } })
  await page.goto(proxy.url + path)
  return { page, proxy }
}

/** The page is loaded again by that, or after it by itself. */
async function reloads(page: Page, by: () => Promise<void>): Promise<void> {
  const reloaded = page.waitForEvent('load')
  await by()
  await reloaded
}

/** The page looks as one that was loaded now, in which as much was opened. */
async function looksAsLoadedNow(page: Page, open = async (_page: Page) => {}): Promise<void> {
  const direct = await page.context().newPage()
  await direct.goto(page.url())
  await open(direct)
  await expect.poll(async () => differences(await stylesOf(direct), await stylesOf(page))).toEqual([])
}

describe('after an outage', () => {
  it.for([
    ['/$slug/overview', 'Devices', 'Devices'],
    ['/$slug/devices', 'Audit', 'Audit'],
    ['/$slug/users', 'API Keys', undefined],
  ] as const)(
    'a page that was opened meanwhile, with code that did not arrive, comes back by itself: from %s to %s',
    async ([from, link, title], { portal, ada, accounts }) => {
      const { page, proxy } = await behindProxy(portal, ada, accounts.pathOf(from))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await proxy.stop()
      await page.getByRole('link', { name: link, exact: true }).first().click()
      await page.getByRole('heading', { name: 'Retrying…' }).waitFor()
      await page.getByText(NOT_RESPONDING).waitFor()
      await expectAccessible(page)
      await proxy.start()
      await (title ? heading(page, title) : page.getByRole('button', { name: 'Generate Key' })).waitFor()
      await page.getByText(NOT_RESPONDING).waitFor({ state: 'detached' })
      await looksAsLoadedNow(page)
    },
  )

  it('a dialog and a menu that did not arrive meanwhile are there by themselves', async ({ portal, ada, accounts }) => {
    const { page, proxy } = await behindProxy(portal, ada, accounts.pathOf('/$slug/devices'))
    await heading(page, 'Devices').waitFor()
    await proxy.stop()
    await press(page, 'Add device')
    const notice = page.getByRole('alert').filter({ hasText: 'Can’t reach the portal.' })
    await notice.waitFor()
    await page.getByText(NOT_RESPONDING).waitFor()
    await press(page, 'Account: Acme')
    await reloads(page, proxy.start)
    const openDialog = async (one: Page) => {
      await press(one, 'Add device')
      await one.getByRole('dialog', { name: 'Add device' }).waitFor()
    }
    await openDialog(page)
    await looksAsLoadedNow(page, openDialog)
    await page.keyboard.press('Escape')
    await press(page, 'Account: Acme')
    await page.getByRole('menuitem', { name: 'Create organization' }).waitFor()
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0)
  })

  it('a part of a page that did not arrive says so meanwhile, and is there by itself', async ({
    portal,
    ada,
    accounts,
  }) => {
    const { page, proxy } = await behindProxy(portal, ada, accounts.pathOf('/$slug/api'))
    await heading(page, 'API').waitFor()
    await page.route(/\/assets\/Explorer-[\w-]+\.js$/, (route) => route.abort('connectionrefused'))
    await page.getByRole('link', { name: 'Explorer', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor()
    await expectAccessible(page)
    await proxy.stop()
    await page.evaluate('dispatchEvent(new Event("offline"))') // this page asks for nothing by itself
    await page.getByText(NOT_RESPONDING).waitFor()
    await page.unroute(/\/assets\/Explorer-[\w-]+\.js$/)
    await reloads(page, proxy.start)
    await page.getByRole('button', { name: /Execute query/ }).waitFor()
  })

  it('a dialog that was asked for meanwhile above the API keys opens, and the list is up to date', async ({
    portal,
    ada,
    accounts,
  }) => {
    const { page, proxy } = await behindProxy(portal, ada, accounts.pathOf('/$slug/users/api-keys'))
    const menu = page.getByRole('button', { name: 'Actions for nightly-export' })
    await menu.waitFor()
    await proxy.stop()
    await menu.click()
    await page.getByText(NOT_RESPONDING).waitFor()
    await reloads(page, proxy.start)
    await menu.click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke this key?' }).waitFor()
    expect(await page.getByRole('button', { name: 'Reload' }).count()).toBe(0)
  })

  it('what was entered stays, beside a list that is up to date, and a click on Reload brings the rest', async ({
    portal,
    ada,
    accounts,
  }) => {
    const { page, proxy } = await behindProxy(portal, ada, accounts.pathOf('/$slug/users/api-keys'))
    const menu = page.getByRole('button', { name: 'Actions for nightly-export' })
    await menu.waitFor()
    await page.getByLabel('Label', { exact: true }).fill('half a label')
    await proxy.stop()
    await menu.click()
    await page.getByText(NOT_RESPONDING).waitFor()
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    const outdated = page.getByText('The list of keys may be out of date.')
    await outdated.waitFor()
    await expectAccessible(page)
    await proxy.start()
    await outdated.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    expect(await page.getByLabel('Label', { exact: true }).inputValue()).toBe('half a label')
    await reloads(page, () => press(page, 'Reload'))
    await menu.click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog', { name: 'Revoke this key?' }).waitFor()
  })

  it('a stylesheet that did not arrive is asked for again', async ({ portal, ada, accounts }) => {
    const page = await portal.signIn(ada, { path: 'about:blank', mayComplain })
    let refused = 0
    await page.route(/\/assets\/[\w-]+\.css$/, (route) =>
      refused++ < 2 ? route.abort('connectionrefused') : route.fallback(),
    )
    await page.goto(accounts.pathOf('/$slug/devices'))
    await heading(page, 'Devices').waitFor()
    await expect.poll(() => refused).toBe(3)
    await looksAsLoadedNow(page)
  })
})
