import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import {
  expectAccessible,
  goOffline,
  goOnline,
  heading,
  noSidewaysScroll,
  PHONE,
} from '../support/browser/portal-page.ts'
import { joined } from '../support/world/people.ts'

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => world.signUp('Ada Lovelace'))
  .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend('bob', { scope: 'file' }, ({ world, acme }) => joined(world, acme, 'Bob', 'MEMBER'))
  .extend('members', { auto: true }, ({ bob }) => [bob])

describe('the app shell', () => {
  const sections = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents()

  it('a deep link survives the sign-in, and the session is checked once', async ({ portal, ada }) => {
    const page = await portal.open({ path: '/sign-in' })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 401) refused.push(response.url())
    })
    await page.goto('/acme-edge/users?search=bob')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(refused).toEqual([`${portal.world.url}/portal/graphql`])

    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await page.getByRole('button', { name: 'Sign in' }).click()

    await heading(page, 'Users').waitFor()
    expect(page.url()).toBe(`${portal.world.url}/acme-edge/users?search=bob`)
  })

  it('the URL without a path leads to the first organization', async ({ portal, ada }) => {
    const page = await portal.signIn(ada)
    await heading(page, 'Overview').waitFor()
    expect(new URL(page.url()).pathname).toBe('/acme-edge/overview')
  })

  it('signing out revokes the session, and Back shows nothing of it', async ({ portal, ada, bob }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/devices' })
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByText(bob.email).waitFor()
    const cookies = await page.context().cookies()
    await page.getByRole('button', { name: 'Account menu: Ada Lovelace' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await heading(page, 'Sign in').waitFor()

    await page.goBack()
    await heading(page, 'Sign in').waitFor()
    expect(await page.getByText(bob.email).count()).toBe(0)

    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const { status } = await portal.world.post('/portal/graphql', { query: '{ viewer { role } }' }, { cookie })
    expect(status).toBe(401)
  })

  it('a session that is revoked elsewhere leads to the sign-in with the next click, and back afterwards', async ({
    portal,
  }) => {
    const eve = await portal.world.signUp('Eve')
    const page = await portal.signIn(eve, { path: `/${eve.personalSlug}/devices` })
    await heading(page, 'Devices').waitFor()
    await eve.call('mutation { revokeOtherSessions }')
    await page.getByRole('link', { name: 'Settings' }).click()
    await heading(page, 'Sign in').waitFor()
    await page.getByLabel('Email').fill(eve.email)
    await page.getByLabel('Password', { exact: true }).fill(eve.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Settings').waitFor()
  })

  it('each page has a link, marked while it is open, and a title that says where you are', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/devices' })
    expect
      .soft(await sectionsOnceThere(page))
      .toEqual(['Overview', 'Devices', 'Users', 'Keys', 'API', 'Audit', 'Settings'])
    for (const name of ['Users', 'API', 'Audit', 'Settings', 'Overview', 'Devices']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
      await heading(page, name).waitFor()
      await expect.poll(() => page.title()).toBe(`${name} · Acme Edge · Edge Management Portal`)
      const current = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]')
      await expect.poll(() => current.allTextContents()).toEqual([name])
    }
  })

  it('a Member sees no Audit link, and its URL says that it is for Admins', async ({ portal, bob }) => {
    const page = await portal.signIn(bob, { path: '/acme-edge/audit' })
    await page.getByText('Admin', { exact: false }).first().waitFor()
    expect(await sectionsOnceThere(page)).toEqual(['Overview', 'Devices', 'Users', 'API', 'Settings'])
    expect(await page.getByRole('table').count()).toBe(0)
  })

  it('a personal account has no Users page, by link or by URL', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: `/${ada.personalSlug}/users` })
    await heading(page, 'Not found').waitFor()
    expect(await sectionsOnceThere(page)).toEqual(['Overview', 'Devices', 'API', 'Audit', 'Settings'])
  })

  it('pages of other organizations look like pages that do not exist', async ({ portal }) => {
    const eve = await portal.world.signUp('Eve')
    const page = await portal.signIn(eve)
    const words: string[] = []
    for (const path of ['/acme-edge/users', '/no-such-place/users', '/acme-edge/api-keys/none']) {
      await page.goto(path)
      await heading(page, 'Not found').waitFor()
      words.push(await page.getByRole('main').innerText())
      await expect.poll(() => page.title()).toBe('Not found · Edge Management Portal')
    }
    expect(new Set(words).size).toBe(1)
    await expectAccessible(page)
  })

  it('the account switcher lists every account, and creates an organization; a refusal is shown at the field', async ({
    portal,
    bob,
  }) => {
    const page = await portal.signIn(bob, { path: '/acme-edge/devices' })
    await page.getByRole('button', { name: 'Account: Acme Edge' }).click()
    await page.getByRole('menuitem', { name: 'Bob (personal)' }).click()
    await page.getByRole('button', { name: 'Account: Bob' }).click()
    await page.getByRole('menuitem', { name: 'Create organization' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create organization' })
    await dialog.getByRole('button', { name: 'Create organization' }).click()
    const name = dialog.getByRole('textbox', { name: 'Name' })
    await dialog.getByText('This field is required.').waitFor()
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    expect(await page.evaluate('document.activeElement.name')).toBe('name')
    await expectAccessible(page)
    await name.fill('Bolt Works')
    await dialog.getByRole('button', { name: 'Create organization' }).dblclick()
    await page.getByRole('button', { name: 'Account: Bolt Works' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/bolt-works/overview')
    const { data } = await bob.call('{ viewer { organizations { name } } }')
    const { viewer } = data as { viewer: { organizations: { name: string }[] } }
    expect(viewer.organizations.map(({ name }) => name).sort()).toEqual(['Acme Edge', 'Bob', 'Bolt Works'])
  })

  it('the theme is chosen in the account menu, and remembered', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/users' })
    await page.getByRole('button', { name: 'Account menu: Ada Lovelace' }).click()
    await page.getByRole('menuitemradio', { name: 'System', checked: true }).waitFor()
    await expectAccessible(page)
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark', checked: true }).waitFor()
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
    await expect.poll(scheme).toBe('dark')
    await page.reload()
    expect(await scheme()).toBe('dark')
  })

  it('by keyboard: the first Tab offers to skip to the content, and a new page starts at its heading', async ({
    portal,
    ada,
  }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/users' })
    await heading(page, 'Users').waitFor()
    const focused = () => page.evaluate('document.activeElement.textContent')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('API Keys')
    await page.getByRole('link', { name: 'Settings' }).focus()
    await page.keyboard.press('Enter')
    await heading(page, 'Settings').waitFor()
    await expect.poll(focused).toBe('Settings')
  })

  it('an internal error is shown with its request id, and can be retried', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/users', mayComplain: /status of 500/ })
    await heading(page, 'Users').waitFor()
    const error = { message: 'Something went wrong here.', extensions: { code: 'INTERNAL', requestId: 'req-42' } }
    await page.route('**/portal/graphql', (route) => route.fulfill({ status: 500, json: { errors: [error] } }))
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('req-42').waitFor()
    await expectAccessible(page)
    await page.unroute('**/portal/graphql')
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Settings').waitFor()
  })

  it('a lost connection is reported; pending requests are sent when it is back', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/users', mayComplain: /ERR_INTERNET_DISCONNECTED/ })
    await heading(page, 'Users').waitFor()
    await goOffline(page)
    await page.getByText('Can’t reach the portal. Retrying…').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Invite' }).waitFor()
    await page.getByRole('link', { name: 'Profile' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('Can’t reach the portal.', { exact: false }).or(page.getByLabel('Loading')).waitFor()
    await goOnline(page)
    await page.getByText('Can’t reach the portal. Retrying…').waitFor({ state: 'detached' })
    const again = page.getByRole('button', { name: 'Try again' })
    await heading(page, 'Settings').or(again).waitFor()
    if (await again.isVisible()) await again.click()
    await heading(page, 'Settings').waitFor()
  })

  it('a browser that reports no network changes nothing while the portal answers', async ({ portal, ada }) => {
    const page = await portal.open()
    await page.addInitScript(`Object.defineProperty(navigator, 'onLine', { get: () => false })`)
    await page.context().request.post('/auth/sign-in', { data: { email: ada.email, password: ada.password } })
    await page.goto('/acme-edge/users')
    await heading(page, 'Users').waitFor()
    await page.evaluate(`window.dispatchEvent(new Event('offline'))`)
    await page.getByRole('link', { name: 'Settings' }).click()
    await heading(page, 'Settings').waitFor()
    expect(await page.getByText('Can’t reach the portal. Retrying…').count()).toBe(0)
  })

  it('shows by itself that the portal does not respond, and that it is back', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: '/acme-edge/devices', mayComplain: /net::ERR_/ })
    await heading(page, 'Devices').waitFor()
    await page.route(/portal.graphql|health.live/, (route) => route.abort())
    await page.getByRole('link', { name: 'Users' }).click()
    await page.getByText('Can’t reach the portal. Retrying…').waitFor()
    await page.unroute(/portal.graphql|health.live/)
    await page.getByText('Can’t reach the portal. Retrying…').waitFor({ state: 'detached' })
  })

  it('fits a phone, however long the names are', async ({ portal, ada }) => {
    const long = await portal.world.organization('Northern Hemisphere Logistics and Refrigeration Consortium of 2026', {
      admin: ada,
    })
    const page = await portal.signIn(ada, { path: `/${long.slug}/users`, viewport: PHONE })
    await heading(page, 'Users').waitFor()
    await noSidewaysScroll(page)
    await page.getByRole('button', { name: /^Account:/ }).click()
    await page.getByRole('menuitem', { name: 'Create organization' }).waitFor()
    await noSidewaysScroll(page)
    await expectAccessible(page)
  })

  async function sectionsOnceThere(page: Page): Promise<string[]> {
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    return sections(page)
  }
})
