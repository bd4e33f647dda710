import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'
import { isSignedIn } from '../support/world/people.ts'
import { PASSWORD, type Person } from '../support/world/world.ts'

/** Each test has an Ada of its own. */
const it = inPortalOrganization()

describe('the Profile page', () => {
  const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'Profile' })
  const toKeys = (page: Page) =>
    page.getByRole('link', { name: 'API Keys' }).or(page.getByRole('button', { name: 'API Keys' }))
  const switchOn = (person: Person) => person.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
  const profileOf = (person: Person) => `/${person.personalSlug}/profile`

  it('W2: on a personal account with the feature on, the header links to its API keys', async ({ portal, ada }) => {
    await switchOn(ada)
    const page = await portal.signIn(ada, { path: profileOf(ada) })
    await heading(page).waitFor()
    await expectAccessible(page)
    await toKeys(page).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`${profileOf(ada)}/api-keys`)
  })

  it('W2: in an organization there is no API Keys button, and the URL of the panel says where they are', async ({
    portal,
    ada,
    acme,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/profile/api-keys` })
    await page.getByText('The API keys of Acme are on its Users page', { exact: false }).waitFor()
    expect(await toKeys(page).count()).toBe(0)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await expectAccessible(page)
  })

  it('F2: with the feature off there is no API Keys button, and the URL of the panel says why', async ({
    portal,
    ada,
  }) => {
    const page = await portal.signIn(ada, { path: `${profileOf(ada)}/api-keys` })
    await page.getByRole('status').getByText('API keys are off for this account.', { exact: false }).waitFor()
    expect(await toKeys(page).count()).toBe(0)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('with the feature off, the page says that there are API keys, and leads to where they are turned on', async ({
    portal,
    bob,
  }) => {
    const page = await portal.signIn(bob, { path: profileOf(bob) })
    await page.getByRole('region', { name: 'API keys' }).getByText('They are off for this account.').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Open Settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  })

  it('saves the name, also for the personal account', async ({ portal, ada }) => {
    const page = await portal.signIn(ada, { path: profileOf(ada) })
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill(' ')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This field is required.').waitFor()
    await name.fill('Ada Lovelace')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Name saved.').waitFor()
    await page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor()
    await page.getByRole('button', { name: 'Account menu: Ada Lovelace' }).waitFor()
  })

  it('changes the password given the old one, and revokes every other session', async ({ world, portal, ada }) => {
    const page = await portal.signIn(ada, { path: profileOf(ada) })
    const current = page.getByLabel('Current password', { exact: true })
    const fresh = page.getByLabel('New password', { exact: true })
    const change = page.getByRole('button', { name: 'Change password' })
    await current.fill('not the one')
    await fresh.fill('a new long passphrase')
    await change.click()
    await page.getByText('This is not your current password.').waitFor()
    expect(await current.getAttribute('aria-invalid')).toBe('true')
    await current.fill(PASSWORD)
    await fresh.fill('short')
    await change.click()
    await page.getByText('12 to 256 characters.').waitFor()
    await expectAccessible(page)
    await fresh.fill('a new long passphrase')
    await change.dblclick()
    await page.getByText('Password changed. You are signed out everywhere else.').waitFor()
    expect(await current.inputValue()).toBe('')
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
    await page.reload()
    await heading(page).waitFor()
    const signIn = (password: string) => world.post('/auth/sign-in', { email: ada.email, password })
    expect([(await signIn(PASSWORD)).status, (await signIn('a new long passphrase')).status]).toEqual([401, 200])
  })

  it('stays signed in when a request with the session before the change is answered after it', async ({
    portal,
    ada,
  }) => {
    const page = await portal.signIn(ada, { path: profileOf(ada) })
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByText('This session').waitFor()
    const statuses: number[] = []
    await page.route('**/portal/graphql', async (route) => {
      const request = route.request()
      if (statuses.length > 0 || !request.postData()?.includes('query Sessions')) return route.continue()
      const response = await route.fetch({ headers: { ...request.headers(), cookie: ada.cookie } })
      statuses.push(response.status())
      await route.fulfill({ response })
    })
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD)
    await page.getByLabel('New password', { exact: true }).fill('a new long passphrase')
    await page.getByRole('button', { name: 'Change password' }).click()
    await expect.poll(() => statuses).toEqual([401])
    await page.getByRole('button', { name: 'Account menu: Ada' }).waitFor()
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
    expect(new URL(page.url()).pathname).toBe(profileOf(ada))
  })

  it('shows where the person is signed in, and revokes one or all others', async ({ world, portal, ada }) => {
    const firefox = { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0' }
    const credentials = { email: ada.email, password: ada.password }
    const elsewhere = await world.post('/auth/sign-in', credentials, { headers: firefox })
    const page = await portal.signIn(ada, { path: profileOf(ada) })
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByRole('listitem').filter({ hasText: 'Chrome on Linux' }).getByText('This session').waitFor()
    expect(await sessions.getByRole('listitem').count()).toBe(3) // Ada signed up by a script: "node"

    await sessions.getByRole('button', { name: 'Sign out Firefox on Windows, 127.0.0.1' }).click()
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2)
    expect(await isSignedIn(world, elsewhere.cookie)).toBe(false)
    expect(await isSignedIn(world, ada.cookie)).toBe(true)

    await sessions.getByRole('button', { name: 'Sign out all others' }).click()
    await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
    expect(await isSignedIn(world, ada.cookie)).toBe(false)
    expect(await sessions.getByRole('button', { name: 'Sign out all others' }).count()).toBe(0)
    await page.reload()
    await heading(page).waitFor()
  })
})
