import type { Page, Response } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, PHONE, type Portal } from '../support/browser/portal-page.ts'
import { makeOlder } from '../support/world/inserted-keys.ts'
import type { Person, TestKey, TestOrganization } from '../support/world/world.ts'

const DAY_MS = 86_400_000

const notice = (page: Page) => page.getByRole('complementary', { name: 'API keys that expire soon' })
const dismiss = (page: Page) => notice(page).getByRole('button', { name: 'Dismiss' })

const it = inPortal()

describe('the notice of keys that expire soon', () => {
  let organizations = 0
  const organization = (portal: Portal, ada: Person) =>
    portal.world.organization(`Acme ${++organizations}`, { admin: ada })
  const endOf = (days: number) => Date.now() + days * DAY_MS - DAY_MS / 2
  /** One that was generated a year ago. */
  const keyFor = async (portal: Portal, ada: Person, of: { slug: string }, label: string, days: number) => {
    const key = await portal.world.generateKey(ada, of, { label, expiresAt: new Date(endOf(days)).toISOString() })
    await makeOlder(portal.world, key, 365)
    return key
  }
  const comesNearer = (portal: Portal, { id }: TestKey, days: number) =>
    portal.world.database.transaction((db) =>
      db
        .updateTable('apiKey')
        .set({ expiresAt: endOf(days) })
        .where('id', '=', id)
        .execute(),
    )
  const devicesOf = async (
    portal: Portal,
    ada: Person,
    { slug }: Pick<TestOrganization, 'slug'>,
    options: Parameters<Portal['signIn']>[1] = {},
  ) => {
    const page = await portal.signIn(ada, { path: `/${slug}/devices`, ...options })
    await heading(page, 'Devices').waitFor()
    return page
  }
  /** Loads the page, and waits until it has asked and has shown what came back. */
  const showsNothing = async (page: Page, load: () => Promise<unknown> = () => page.reload()) => {
    const isAnswer = (response: Response) => response.request().postData()?.includes('expiringApiKeys') ?? false
    await Promise.all([page.waitForResponse(isAnswer), load()])
    await page.waitForLoadState('networkidle')
    expect(await notice(page).count()).toBe(0)
  }

  it('shows how many there are and the first one to expire, on every page, and links to the keys', async ({
    portal,
    ada,
  }) => {
    const acme = await organization(portal, ada)
    await keyFor(portal, ada, acme, 'ci', 20)
    await keyFor(portal, ada, acme, 'nightly-export', 6)
    await keyFor(portal, ada, acme, 'far away', 31)
    const page = await devicesOf(portal, ada, acme)
    await notice(page).getByText('2 API keys expire soon: nightly-export in 6 days', { exact: true }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Audit' }).click()
    await heading(page, 'Audit').waitFor()
    await notice(page).getByRole('link').click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/${acme.slug}/users/api-keys`)
  })

  it('disappears with the key, without a reload', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    const { id } = await keyFor(portal, ada, acme, 'ci', 1)
    const page = await portal.signIn(ada, { path: `/${acme.slug}/api-keys/${id}` })
    await notice(page).getByText('1 API key expires soon: ci within a day', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke this key' }).click()
    await notice(page).waitFor({ state: 'detached' })
  })

  it('stays dismissed until the key expires in 7 days, and again in one day', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    const key = await keyFor(portal, ada, acme, 'ci', 20)
    const page = await devicesOf(portal, ada, acme)
    await dismiss(page).click()
    await notice(page).waitFor({ state: 'detached' })
    await showsNothing(page)

    await comesNearer(portal, key, 8)
    await showsNothing(page)

    await comesNearer(portal, key, 7)
    await page.reload()
    await notice(page).getByText('ci in 7 days').waitFor()
    await dismiss(page).click()
    await showsNothing(page)

    await comesNearer(portal, key, 1)
    await page.reload()
    await notice(page).getByText('ci within a day').waitFor()
  })

  it('shows a later key although others were dismissed, and those of another account', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    const other = await organization(portal, ada)
    await keyFor(portal, ada, acme, 'ci', 20)
    await keyFor(portal, ada, other, 'theirs', 20)
    const page = await devicesOf(portal, ada, acme)
    await dismiss(page).click()
    await keyFor(portal, ada, acme, 'new', 25)
    await page.reload()
    await notice(page).getByText('1 API key expires soon: new in 25 days', { exact: true }).waitFor()
    await page.goto(`/${other.slug}/devices`)
    await notice(page).getByText('theirs in 20 days').waitFor()
  })

  it('the page does not wait for it, and does not move when it comes', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    await keyFor(portal, ada, acme, 'ci', 3)
    const page = await portal.signIn(ada, { path: '/acme/none' })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/portal/graphql', async (route) => {
      if (route.request().postData()?.includes('expiringApiKeys')) await released
      await route.continue()
    })
    await page.goto(`/${acme.slug}/devices`)
    await page.getByText('No devices yet').waitFor()
    expect(await notice(page).count()).toBe(0)
    const before = await heading(page, 'Devices').boundingBox()
    release()
    await notice(page).waitFor()
    expect(await heading(page, 'Devices').boundingBox()).toEqual(before)
  })

  it('the page stays when the connection is lost before it is loaded', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    const page = await portal.signIn(ada, { path: '/acme/none', mayComplain: /ERR_INTERNET_DISCONNECTED/ })
    let lost = 0
    await page.route('**/portal/graphql', (route) => {
      if (!route.request().postData()?.includes('query ExpiringKeys')) return route.fallback()
      lost++
      return route.abort('internetdisconnected')
    })
    await page.goto(`/${acme.slug}/devices`)
    await heading(page, 'Devices').waitFor()
    await expect.poll(() => lost).toBeGreaterThan(0)
    await heading(page, 'Devices').waitFor()
    expect(await notice(page).count()).toBe(0)
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true)
  })

  it('leaves room for the page on a phone, however long the label, and can be dismissed by keyboard', async ({
    portal,
    ada,
  }) => {
    const acme = await organization(portal, ada)
    await keyFor(portal, ada, acme, 'x'.repeat(80), 6)
    const page = await devicesOf(portal, ada, acme, { viewport: PHONE })
    await notice(page).waitFor()
    expect((await notice(page).boundingBox())?.height).toBeLessThan(80)
    await expectAccessible(page)
    await notice(page).getByRole('link').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await notice(page).waitFor({ state: 'detached' })
  })

  it('links to the profile for a personal account, and to Settings with the feature off', async ({ portal, ada }) => {
    const here = { slug: ada.personalSlug }
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }', {}, here.slug)
    await keyFor(portal, ada, here, 'mine', 6)
    const page = await devicesOf(portal, ada, here)
    await notice(page).getByRole('link').click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/${here.slug}/profile/api-keys`)
    await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, here.slug)
    await page.goto(`/${here.slug}/devices`)
    await notice(page).getByRole('link').click()
    await heading(page, 'Settings').waitFor()
  })

  it('K2: is not shown to a Member, or for a replaced key', async ({ portal, ada, bob }) => {
    const acme = await organization(portal, ada)
    await portal.world.join(acme, bob, 'MEMBER')
    const key = await keyFor(portal, ada, acme, 'not for Bob', 6)
    const page = await portal.signIn(bob, { path: `/${acme.slug}/devices` })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    await page.clock.install()
    await page.reload()
    await heading(page, 'Devices').waitFor()
    await page.clock.runFor(3_000) // twice as long as the notice waits for the page
    await page.waitForLoadState('networkidle')
    expect(asked.filter((query) => query.includes('expiringApiKeys'))).toEqual([])
    expect(await notice(page).count()).toBe(0)

    const end = new Date(Date.now() + 90 * DAY_MS).toISOString()
    await ada.call(
      'mutation ($id: ID!, $end: DateTime) { rotateApiKey(id: $id, expiresAt: $end) { apiKey { id } } }',
      { id: key.id, end },
      acme.slug,
    )
    const hers = await portal.signIn(ada, { path: '/' })
    await showsNothing(hers, () => hers.goto(`/${acme.slug}/devices`))
  })
})
