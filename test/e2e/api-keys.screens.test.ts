import { describe, expect } from 'vitest'
import {
  chooseFor,
  expiredKey,
  generate,
  labelsIn,
  noSidewaysScrollInDialogs,
  openPanelOf,
  panelOf,
  rowOf,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, noSidewaysScroll, PHONE } from '../support/browser/portal-page.ts'
import { makeOlder } from '../support/world/inserted-keys.ts'

const DAY = 24 * 60 * 60 * 1000

const it = inPanel()

describe('the API Keys panel', () => {
  it('W1, K5: opens from the header of Users with the keys of that organization only, and closes to the page', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const other = await world.organization('Other', { admin: ada })
    await acme.generateKey({ label: 'of acme' })
    await world.generateKey(ada, other, { label: 'of the other' })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users` })

    await page.getByRole('link', { name: 'API Keys' }).click()
    await rowOf(page, 'of acme').waitFor()
    expect(await labelsIn(page)).toEqual(['of acme'])
    expect(page.url()).toBe(`${world.url}/${acme.slug}/users/api-keys`)
    await expect.poll(() => page.title()).toBe('API Keys · Acme · Edge Management Portal')

    await page.keyboard.press('Escape')
    await panelOf(page).waitFor({ state: 'detached' })
    expect(page.url()).toBe(`${world.url}/${acme.slug}/users`)
    await expect.poll(() => page.title()).toBe('Users · Acme · Edge Management Portal')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('API Keys')
  })

  it('W2, K5: opens from the header of Profile on the personal account, with its keys, and not elsewhere', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    await acme.generateKey({ label: 'of acme' })
    const page = await portal.signIn(ada, { path: `/${ada.personalSlug}/profile` })

    await page.getByRole('link', { name: 'API Keys' }).click()
    await page.getByText('No keys yet').waitFor()
    const secret = await generate(page, 'my own')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await rowOf(page, 'my own').waitFor()
    const { data } = await world.asKey(secret).call('{ organization { slug } }')
    expect(data).toEqual({ organization: { slug: ada.personalSlug } })
    await panelOf(page).getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    expect(page.url()).toBe(`${world.url}/${ada.personalSlug}/profile`)

    await page.goto(`/${acme.slug}/profile`)
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    expect(await page.getByRole('link', { name: 'API Keys' }).count()).toBe(0)
    await page.goto(`/${acme.slug}/profile/api-keys`)
    await page.getByText('The API keys of Acme are on its').waitFor()
    expect(await panelOf(page).count()).toBe(0)
  })

  it('F2: with the feature off its URL shows the page without it, and says why', async ({ world, portal, ada }) => {
    const acme = await world.organization('Acme', { admin: ada, apiKeys: false })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys` })
    await page.getByText('API keys are off for this organization').waitFor()
    expect(await page.getByRole('heading', { name: 'Users' }).count()).toBe(1)
    expect(await panelOf(page).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'API Keys' }).count()).toBe(0)
  })

  it('K2: a Member sees neither the button nor the panel', async ({ portal, acme, bob }) => {
    const page = await portal.signIn(bob, { path: `/${acme.slug}/users/api-keys` })
    await page.getByText('Only Admins of this organization can view API keys').waitFor()
    expect(await panelOf(page).count()).toBe(0)
    expect(await page.getByRole('link', { name: 'API Keys' }).count()).toBe(0)
  })

  it('W3, K13: shows for each key its prefix, creator, last use and expiration, and marks an expired one', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const used = await acme.generateKey({ label: 'used' })
    await world.asKey(used.secret).call('mutation { generateApiKey(input: { label: "offspring" }) { secret } }')
    const soon = new Date(Date.now() + 10.5 * DAY).toISOString()
    await makeOlder(world, await acme.generateKey({ label: 'ending', expiresAt: soon }), 60)
    await acme.generateKey({ label: 'new', expiresAt: soon })
    await expiredKey(portal, ada, acme, 'expired')
    const page = await openPanelOf(portal, ada, acme)

    await expect.poll(() => rowOf(page, 'used').textContent()).toMatch(/(now|ago) from 127\.0\.0\.1/)
    expect(await rowOf(page, 'used').textContent()).toContain(`${used.secret.slice(0, 10)}…`)
    expect(await rowOf(page, 'used').textContent()).toContain('by Ada')
    expect(await rowOf(page, 'offspring').textContent()).toContain('by key used')
    expect(await rowOf(page, 'offspring').textContent()).toContain('Never used')
    expect(await rowOf(page, 'ending').textContent()).toContain('Expires in 11 days')
    expect(await rowOf(page, 'new').textContent()).toContain('in 11 days')
    await rowOf(page, 'expired').getByText('Expired', { exact: true }).waitFor()
    expect(await rowOf(page, 'ending').getByText('Expired', { exact: true }).count()).toBe(0)
    for (const name of ['Revoke', /^Actions for /])
      expect(await panelOf(page).getByRole('button', { name, exact: true }).count()).toBe(5)
  })

  it('explains what a key is for when there is none', async ({ page, panel }) => {
    await panel.getByText('A key lets a script or an integration call the GraphQL API of Acme').waitFor()
    expect(await page.getByRole('button', { name: 'Generate Key' }).count()).toBe(1)
  })

  it('W5: shows the usage rules where a key is generated: at once without a key, else on request', async ({
    acme,
    page,
    panel,
  }) => {
    const rules = panel.getByRole('group').filter({ hasText: 'Treat a key like a password' })
    const rule = rules.getByText('Use one key per integration')
    await rule.waitFor()
    await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await rule.waitFor({ state: 'hidden' })
    await rules.getByText('Treat a key like a password').click()
    const words = await rules.innerText()
    for (const rule of [
      'like a password',
      'environment variable or a secrets manager, never in source control',
      'Use one key per integration',
      'Revoke unused keys',
      'Rotate keys periodically, and at once if you suspect a leak',
    ]) {
      expect(words).toContain(rule)
    }
  })

  it('renames in place: Enter saves, Escape does not and keeps the panel open, an empty label is refused at its field', async ({
    acme,
    page,
    panel,
  }) => {
    await acme.generateKey({ label: 'old' })
    await chooseFor(page, 'old', 'Rename')
    await page.getByRole('textbox', { name: 'New label for old' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('new')
    await page.keyboard.press('Enter')
    await rowOf(page, 'new').waitFor()

    await chooseFor(page, 'new', 'Rename')
    await page.getByRole('textbox', { name: 'New label for new' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('never')
    await page.keyboard.press('Escape')
    await rowOf(page, 'new').waitFor()
    expect(await panel.count()).toBe(1)
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Actions for new')

    await chooseFor(page, 'new', 'Rename')
    const field = page.getByRole('textbox', { name: 'New label for new' })
    await field.fill('')
    await page.keyboard.press('Enter')
    await panel.getByText('1 to 80 characters').waitFor()
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    const { data } = await acme.call('{ apiKeys { data { label } } }')
    expect(data).toEqual({ apiKeys: { data: [{ label: 'new' }] } })
  })

  it('sorts and searches, and the address keeps it: after a reload, and after Back from a key', async ({
    world,
    acme,
    page,
  }) => {
    const first = await acme.generateKey({ label: 'key 10' })
    for (let i = 9; i > 2; i--) await acme.generateKey({ label: `key ${i}` })
    await rowOf(page, 'key 3').waitFor()
    expect(await labelsIn(page)).toEqual([3, 4, 5, 6, 7, 8, 9, 10].map((i) => `key ${i}`))

    await world.asKey(first.secret).call('{ viewer { role } }')
    await page.getByLabel('Sort').selectOption('Last used first')
    await expect.poll(async () => (await labelsIn(page))[0]).toBe('key 10')
    await acme.generateKey({ label: 'Alpha' })
    await page.getByLabel('Sort').selectOption('By label')
    await expect
      .poll(() => labelsIn(page))
      .toEqual(['Alpha', 'key 3', 'key 4', 'key 5', 'key 6', 'key 7', 'key 8', 'key 9', 'key 10'])

    await page.getByRole('searchbox', { name: 'Search' }).fill('ALPHA')
    await expect.poll(() => labelsIn(page)).toEqual(['Alpha'])
    await page.getByRole('link', { name: 'Alpha' }).click()
    await page.getByRole('heading', { level: 1, name: 'Alpha' }).waitFor()
    await page.goBack()
    await rowOf(page, 'Alpha').waitFor()
    await page.reload()
    await rowOf(page, 'Alpha').waitFor()
    expect(await labelsIn(page)).toEqual(['Alpha'])
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('ALPHA')
    expect(await page.getByLabel('Sort').inputValue()).toBe('label')

    await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it')
    await page.getByText('No matching keys').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await expect.poll(async () => (await labelsIn(page)).length).toBe(9)
  })

  it('says when the list is out of date, and recovers by itself', async ({ portal, ada, acme }) => {
    const page = await openPanelOf(portal, ada, acme, { mayComplain: /net::ERR_/ })
    const panel = panelOf(page)
    await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await page.route('**/portal/graphql', (route) => route.abort())
    await panel.getByText('The list of keys may be out of date').waitFor()
    await rowOf(page, 'ci').waitFor()
    await page.unroute('**/portal/graphql')
    await panel.getByText('The list of keys may be out of date').waitFor({ state: 'detached' })
  })

  it('opens at once: with its code loaded, it waits for no response of the server', async ({ page }) => {
    await page.keyboard.press('Escape')
    await panelOf(page).waitFor({ state: 'detached' })
    await page.route('**/portal/graphql', () => {}) // never answered
    await page.getByRole('link', { name: 'API Keys' }).click()
    await panelOf(page).getByRole('button', { name: 'Generate Key' }).waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('is accessible when empty, long or renaming, and fits a phone', async ({ portal, ada, acme, page }) => {
    await expectAccessible(page)
    for (let i = 0; i < 9; i++) await acme.generateKey({ label: `integration ${i}${' long'.repeat(10)}` })
    await expiredKey(portal, ada, acme, 'expired')
    await rowOf(page, 'expired').getByText('Expired', { exact: true }).waitFor()
    await chooseFor(page, 'expired', 'Rename')
    await page.getByRole('textbox', { name: 'New label for expired' }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScroll(page)
    await noSidewaysScrollInDialogs(page)
    expect((await panelOf(page).boundingBox())?.width).toBe(PHONE.width)
  })
})
