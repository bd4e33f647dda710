import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { expiredKey } from '../support/browser/api-keys-panel.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, goOffline, goOnline, type Portal } from '../support/browser/portal-page.ts'
import { countCalls } from '../support/world/count-calls.ts'
import type { Person, TestOrganization } from '../support/world/world.ts'

const DEVICES = '{ devices { data { id } } }'

const theSwitch = (page: Page) => page.getByRole('switch', { name: 'API keys' })
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Switch off API keys?' })
const switchOff = (page: Page) => dialog(page).getByRole('button', { name: 'Switch off' })
const isOn = (page: Page, on: boolean) => expect.poll(() => theSwitch(page).isChecked()).toBe(on)

const it = inPortal()

describe('the settings of an organization', () => {
  const organization = (portal: Portal, ada: Person, name: string, apiKeys = true) =>
    portal.world.organization(name, { admin: ada, apiKeys })
  const settingsOf = async (portal: Portal, ada: Person, { slug }: { slug: string }, person = ada) => {
    const page = await portal.signIn(person, { path: `/${slug}/settings` })
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    return page
  }
  const accepts = async (portal: Portal, secret: string) =>
    (await portal.world.asKey(secret).call(DEVICES)).status === 200
  const nameOf = async (ada: Person, { slug }: { slug: string }) =>
    (await ada.call('{ organization { name slug } }', {}, slug)).data as {
      organization: { name: string; slug: string }
    }

  it('C1: switching off says how many keys stay active; they keep working, and Cancel changes nothing', async ({
    portal,
    ada,
  }) => {
    const acme = await organization(portal, ada, 'Acme')
    const keys = [await portal.world.generateKey(ada, acme), await portal.world.generateKey(ada, acme)]
    const page = await settingsOf(portal, ada, acme)
    await page.getByText('2 keys active').waitFor()

    await theSwitch(page).click()
    await dialog(page).getByText('2 keys stay active and keep working').waitFor()
    expect(await dialog(page).getByRole('checkbox').isChecked()).toBe(false)
    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    expect(await isEnabled(ada, acme)).toBe(true)

    await theSwitch(page).click()
    await switchOff(page).click()
    await page.getByText('API keys are switched off. 2 keys keep working.').waitFor()
    await isOn(page, false)
    expect(await isEnabled(ada, acme)).toBe(false)
    expect(await Promise.all(keys.map(({ secret }) => accepts(portal, secret)))).toEqual([true, true])
  })

  it('C1: with the box checked the same step revokes every key', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Revoking')
    const key = await portal.world.generateKey(ada, acme)
    const page = await settingsOf(portal, ada, acme)

    await theSwitch(page).click()
    await dialog(page).getByText('1 key stays active').waitFor()
    await dialog(page).getByRole('checkbox', { name: 'Also revoke this key' }).click()
    await dialog(page).getByText('1 key will be permanently revoked').waitFor()
    await switchOff(page).click()

    await page.getByText('All keys are revoked.').waitFor()
    expect(await accepts(portal, key.secret)).toBe(false)
    await page.getByText('No active keys').waitFor()
    expect(await page.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
  })

  it('C1: revoking in that step names the keys in use, asks for their number, and revokes as many as its button says', async ({
    portal,
    ada,
  }) => {
    const acme = await organization(portal, ada, 'Acme Counted')
    const used = await acme.generateKey({ label: 'nightly-export' })
    const paused = await acme.generateKey({ label: 'paused one' })
    await ada.call('mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', { id: paused.id }, acme.slug)
    await acme.generateKey({ label: 'unused one' })
    const expired = await expiredKey(portal, ada, acme, 'expired one')
    await countCalls(portal.world.database, [expired], { at: Date.now() })
    expect(await accepts(portal, used.secret)).toBe(true)
    const page = await settingsOf(portal, ada, acme)
    await page.getByText('3 keys active').waitFor()

    await theSwitch(page).click()
    const inUse = dialog(page).getByRole('list', { name: 'Keys in use' })
    await expect.poll(() => inUse.getByRole('listitem').count()).toBe(1)
    await inUse.getByText('nightly-export').waitFor()
    expect(await dialog(page).getByLabel('Type 4 to confirm').count()).toBe(0)
    await dialog(page).getByRole('checkbox', { name: 'these 4 keys (1 paused, 1 expired)' }).click()
    await expectAccessible(page)
    const revoke = dialog(page).getByRole('button', { name: 'Revoke 4 keys and switch off', exact: true })
    expect(await revoke.isDisabled()).toBe(true)
    await dialog(page).getByLabel('Type 4 to confirm').fill('3')
    expect(await revoke.isDisabled()).toBe(true)
    await dialog(page).getByLabel('Type 4 to confirm').fill('4')
    await revoke.click()

    await page.getByText('All keys are revoked.').waitFor()
    const { data } = await ada.call('{ revokedApiKeys { totalCount } apiKeys { totalCount } }', {}, acme.slug)
    expect(data).toEqual({ revokedApiKeys: { totalCount: 4 }, apiKeys: { totalCount: 0 } })
  })

  it('F3: without active keys the switch asks nothing, in both directions', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Empty', false)
    const page = await settingsOf(portal, ada, acme)
    await theSwitch(page).click()
    await isOn(page, true)
    await page.getByText('API keys are switched on.').waitFor()
    expect(await isEnabled(ada, acme)).toBe(true)
    await theSwitch(page).click()
    await isOn(page, false)
    expect(await isEnabled(ada, acme)).toBe(false)
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  it('F2: the API Keys button appears and disappears with the switch, without a reload', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Button', false)
    const page = await settingsOf(portal, ada, acme)
    const usersHave = async (buttons: number) => {
      await page.getByRole('link', { name: 'Users' }).click()
      await page.getByRole('button', { name: 'Invite' }).waitFor()
      expect(await page.getByRole('link', { name: 'API Keys' }).count()).toBe(buttons)
      await page.getByRole('link', { name: 'Settings' }).click()
    }
    await usersHave(0)
    await theSwitch(page).click()
    await isOn(page, true)
    await usersHave(1)
    await theSwitch(page).click()
    await isOn(page, false)
    await usersHave(0)
  })

  it('F1, F2: a personal account has its own switch', async ({ portal, ada }) => {
    const cleo = await portal.world.signUp('Cleo')
    const page = await settingsOf(portal, ada, { slug: cleo.personalSlug }, cleo)
    await theSwitch(page).click()
    await isOn(page, true)
    await page.getByRole('link', { name: 'View keys' }).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
  })

  it('K11: with the feature off, the remaining keys are listed and can be revoked', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Left')
    const ci = await portal.world.generateKey(ada, acme, { label: 'ci' })
    const nightly = await portal.world.generateKey(ada, acme, { label: 'nightly' })
    await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, acme.slug)
    const page = await settingsOf(portal, ada, acme)
    const left = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Revoke' }) })
    await expect.poll(() => left.count()).toBe(2)

    await left.filter({ hasText: 'nightly' }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke this key' }).click()

    await expect.poll(() => left.count()).toBe(1)
    await page.getByText('1 key active').waitFor()
    expect([await accepts(portal, ci.secret), await accepts(portal, nightly.secret)]).toEqual([true, false])
  })

  it('an Admin changes the name everywhere at once, and the URL stays', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Old')
    const page = await settingsOf(portal, ada, acme)
    await page.getByLabel('Name').fill('Acme New')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Account: Acme New' }).waitFor()
    await expect.poll(() => page.title()).toBe('Settings · Acme New · Edge Management Portal')
    expect(await nameOf(ada, acme)).toEqual({ organization: { name: 'Acme New', slug: 'acme-old' } })
  })

  it('an invalid name is refused at its field, and what was typed is kept', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Strict')
    const page = await settingsOf(portal, ada, acme)
    const name = page.getByLabel('Name')
    await name.fill('   ')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    expect(await name.inputValue()).toBe('   ')
    expect((await nameOf(ada, acme)).organization.name).toBe('Acme Strict')
  })

  it('a personal account is renamed with its person', async ({ portal, ada }) => {
    const dora = await portal.world.signUp('Dora')
    const page = await settingsOf(portal, ada, { slug: dora.personalSlug }, dora)
    await page.getByLabel('Name').fill('Dora Renamed')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Account: Dora Renamed' }).waitFor()
    const { data } = await dora.call('{ viewer { user { name } organization { name } } }')
    expect(data).toEqual({ viewer: { user: { name: 'Dora Renamed' }, organization: { name: 'Dora Renamed' } } })
  })

  it('K2, F3: a Member sees the settings, and why they cannot be changed', async ({ portal, ada, bob }) => {
    const acme = await organization(portal, ada, 'Acme Members')
    await portal.world.join(acme, bob, 'MEMBER')
    await portal.world.generateKey(ada, acme, { label: 'not for Bob' })
    const page = await settingsOf(portal, ada, acme, bob)
    await page.getByText('API keys are switched on.').waitFor()
    await page.getByText('Only Admins can change this').waitFor()
    await page.getByText('An Admin can change it.').waitFor()
    for (const role of ['switch', 'textbox', 'checkbox'] as const) expect(await page.getByRole(role).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    await expectAccessible(page)
  })

  it('the switch and its dialog work by keyboard, and the focus returns to the switch', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Keyboard')
    const key = await portal.world.generateKey(ada, acme)
    const page = await settingsOf(portal, ada, acme)
    const focused = () =>
      page.evaluate('document.activeElement?.getAttribute("role") ?? document.activeElement?.textContent')
    await theSwitch(page).focus()
    await page.keyboard.press('Space')
    await dialog(page).waitFor()
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'hidden' })
    await expect.poll(focused).toBe('switch')
    expect(await isEnabled(ada, acme)).toBe(true)

    await page.keyboard.press('Space')
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Space')
    expect(await dialog(page).getByRole('checkbox').isChecked()).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await isOn(page, false)
    await expect.poll(focused).toBe('switch')
    expect(await accepts(portal, key.secret)).toBe(false)
  })

  it('a lost connection is reported, and nothing is half done', async ({ portal, ada }) => {
    const acme = await organization(portal, ada, 'Acme Offline')
    await portal.world.generateKey(ada, acme)
    const path = `/${acme.slug}/settings`
    const page = await portal.signIn(ada, { path, mayComplain: /net::ERR_INTERNET_DISCONNECTED/ })
    await theSwitch(page).click()
    await dialog(page).waitFor()
    await goOffline(page)
    await switchOff(page).click()
    await dialog(page).getByRole('alert').getByText('Can’t reach the portal').waitFor()
    await goOnline(page)
    expect(await isEnabled(ada, acme)).toBe(true)
    await switchOff(page).click()
    await isOn(page, false)
  })

  it('is accessible, page and dialog, however long the name is', async ({ portal, ada }) => {
    const on = await organization(portal, ada, 'Acme on')
    const off = await organization(portal, ada, 'Acme off, with a name that is about as long as a name may be here')
    for (const one of [on, off]) await portal.world.generateKey(ada, one, { label: 'x'.repeat(80) })
    await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, off.slug)
    const page = await portal.signIn(ada, { path: `/${on.slug}/settings` })
    await page.getByText('1 key active').waitFor()
    await expectAccessible(page)
    await theSwitch(page).click()
    await dialog(page).waitFor()
    await expectAccessible(page)
    await page.goto(`/${off.slug}/settings`)
    await page.getByRole('button', { name: 'Revoke' }).waitFor()
    await expectAccessible(page)
  })

  async function isEnabled(ada: Person, { slug }: TestOrganization): Promise<boolean> {
    const { data } = await ada.call('{ organization { apiKeysEnabled } }', {}, slug)
    return (data as { organization: { apiKeysEnabled: boolean } }).organization.apiKeysEnabled
  }
})
