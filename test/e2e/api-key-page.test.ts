import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldOf } from '../support/people.ts'
import { expectAccessible, openPortal, type Portal } from '../support/portal-page.ts'
import type { Person, TestKey, TestOrganization } from '../support/world.ts'

const NIGHTLY = 'query Nightly { devices { data { id } } }'
const DAY_MS = 86_400_000

interface UsedOnce {
  daysAgo: number
  calls: number
  errors: number
}

describe('the page of one key', () => {
  let portal: Portal
  let ada: Person
  let bob: Person
  beforeAll(async () => {
    portal = await openPortal()
    ada = await portal.world.signUp('Ada')
    bob = await portal.world.signUp('Bob')
  })
  afterAll(() => portal.close())

  let organizations = 0
  const organization = () => portal.world.organization(`Acme ${++organizations}`, { admin: ada })
  const keyOf = (of: { slug: string }, input: object = { label: 'ci' }, by = ada) =>
    portal.world.generateKey(by, of, input)
  const pageOf = async ({ slug }: { slug: string }, { id, label }: TestKey, person = ada) => {
    const page = await portal.signIn(person, { path: `/${slug}/api-keys/${id}` })
    await heading(page, label).waitFor()
    return page
  }
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })
  const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
  const fact = (page: Page, name: string) =>
    page.locator('dl > div', { has: page.locator(`dt:text-is("${name}")`) }).locator('dd')
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const use = async ({ secret }: { secret: string }, calls = 1) => {
    for (let call = 0; call < calls; call++) await portal.world.asKey(secret).call(NIGHTLY)
  }
  const madeBy = async (maker: { secret: string }, label: string) => {
    const answer = await portal.world
      .asKey(maker.secret)
      .call('mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret apiKey { id label } } }', {
        input: { label },
      })
    const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string; label: string } }>(answer)
    return { ...apiKey, secret }
  }
  const setPolicy = async (input: object, { slug }: TestOrganization) =>
    fieldOf(
      await ada.call(
        'mutation ($input: ApiKeyPolicyInput!) { setApiKeyPolicy(input: $input) { expiryRequired } }',
        { input },
        slug,
      ),
    )

  it('shows who created it, its lifetime, and its last use with address, user agent and operation', async () => {
    const acme = await organization()
    const key = await keyOf(acme, { label: 'nightly-export', expiresAt: new Date(Date.now() + 90 * DAY_MS) })
    const page = await pageOf(acme, key)
    expect(await fact(page, 'Status').innerText()).toBe('Active')
    expect(await fact(page, 'Expires').innerText()).toMatch(/in (2 months|3 months|89 days)/)
    expect(await fact(page, 'Secret').innerText()).toBe(`${key.secret.slice(0, 10)}…`)
    expect(await fact(page, 'Created by').innerText()).toBe('Ada')
    expect(await fact(page, 'Last used').innerText()).toBe('Never')

    await use(key)
    await expect.poll(() => fact(page, 'Last used').innerText(), { timeout: 15_000 }).toMatch(/ago|now/)
    expect(await fact(page, 'IP address').innerText()).toBe('127.0.0.1')
    expect(await fact(page, 'User agent').innerText()).toBe('node')
    expect(await fact(page, 'Operation').innerText()).toBe('Nightly')
    await expect.poll(() => page.title()).toBe(`nightly-export · API key · ${acme.name} · Edge Management Portal`)
    await expectAccessible(page)
  })

  it('draws calls by day and by hour, has them as numbers, and lists their sources', async () => {
    const acme = await organization()
    const key = await keyOf(acme)
    await use(key, 3)
    await portal.world.asKey(key.secret).call('{ viewer { role } }')
    await usedOnce(key, { daysAgo: 10, calls: 5, errors: 1 })
    const page = await pageOf(acme, key)
    await page.getByRole('img', { name: '9 calls in 90 days, 1 refused' }).waitFor({ timeout: 15_000 })
    await page.getByRole('img', { name: '4 calls in 48 hours' }).waitFor()

    const byDay = section(page, 'By day')
    await byDay.getByText('Show as table').click()
    await byDay.getByRole('row', { name: /4 0$/ }).waitFor()
    await byDay.getByRole('row', { name: /5 1$/ }).waitFor()
    const byHour = section(page, 'By hour')
    await byHour.getByText('Show as table').click()
    await byHour
      .getByRole('row', { name: / [1-4] 0$/ })
      .first()
      .waitFor()
    expect(await byHour.getByRole('row', { name: /5 1$/ }).count()).toBe(0)

    const lately = section(page, 'Last 24 hours')
    expect(await lately.getByRole('list', { name: 'IP addresses' }).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^127\.0\.0\.1\s+4$/),
    ])
    expect(await lately.getByRole('list', { name: 'User agents' }).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^node\s+4$/),
    ])
    expect(await lately.getByRole('list', { name: 'Operations' }).getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Nightly\s+3$/),
      expect.stringMatching(/^viewer\s+1$/),
    ])
    await expectAccessible(page)
  })

  it('an expired key is shown as such, with its refused calls, and cannot be rotated', async () => {
    const acme = await organization()
    const key = await keyOf(acme, { label: 'old' })
    await end(key)
    await use(key, 2)
    const page = await pageOf(acme, key)
    expect(await fact(page, 'Status').innerText()).toBe('Expired')
    expect(await fact(page, 'Expired').innerText()).toMatch(/ago/)
    await section(page, 'Last 24 hours').getByText('No calls, 2 refused').waitFor({ timeout: 15_000 })
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0)
    await expectAccessible(page)
  })

  it('rotates: shows the new secret, and which of the two keys is still used, and from where', async () => {
    const acme = await organization()
    const key = await keyOf(acme)
    const page = await pageOf(acme, key)
    await press(page, 'Rotate')
    await page.getByRole('dialog', { name: 'Rotate this key?' }).getByRole('button', { name: 'Rotate key' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await press(page, 'I have stored it')
    const rotation = section(page, 'Rotation')
    await rotation.getByText('The old key has not been used since it was replaced. You can revoke it.').waitFor()
    expect(await fact(page, 'Status').innerText()).toBe('Being replaced')
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0)

    await use(key)
    await rotation.getByText('The old key is still used').waitFor({ timeout: 15_000 })
    const sides = rotation.getByRole('list').getByRole('listitem')
    await sides.filter({ hasText: /^Old: .*this key.*from 127\.0\.0\.1 by node/ }).waitFor()
    await sides.filter({ hasText: /^New: .*Never used/ }).waitFor()
    await expectAccessible(page)

    await rotation.getByRole('link', { name: `${secret.slice(0, 10)}…` }).click()
    await expect.poll(() => fact(page, 'Secret').innerText()).toBe(`${secret.slice(0, 10)}…`)
    await sides.filter({ hasText: /^New: .*this key/ }).waitFor()
    expect(await fact(page, 'Status').innerText()).toBe('Active')
  })

  it('C8: a secret stays visible although the old key is revoked at once', async () => {
    const acme = await organization()
    const key = await keyOf(acme)
    const page = await pageOf(acme, key)
    await press(page, 'Rotate')
    const dialog = page.getByRole('dialog', { name: 'Rotate this key?' })
    await dialog.getByLabel('Expiration of the old secret').selectOption('0')
    await dialog.getByRole('button', { name: 'Rotate key' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await page
      .getByRole('heading', { name: 'This key no longer exists', includeHidden: true })
      .waitFor({ state: 'attached' })
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe(secret)
    expect((await portal.world.asKey(secret).call(NIGHTLY)).status).toBe(200)
    expect((await portal.world.asKey(key.secret).call(NIGHTLY)).status).toBe(401)
    await press(page, 'I have stored it')
    await heading(page, 'This key no longer exists').waitFor()
  })

  it('K8: Revoke asks first; then the page says that the key is revoked, and links to the others', async () => {
    const acme = await organization()
    const key = await keyOf(acme, { label: 'leaked' })
    const page = await pageOf(acme, key)
    await press(page, 'Revoke')
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Revoke')
    expect((await portal.world.asKey(key.secret).call('{ viewer { role } }')).status).toBe(200)

    await press(page, 'Revoke')
    await dialog.getByLabel(/^Type .leaked. to confirm/).fill('leaked') // it has just been used
    await dialog.getByRole('button', { name: 'Revoke this key' }).click()
    await heading(page, 'This key no longer exists').waitFor()
    expect((await portal.world.asKey(key.secret).call('{ viewer { role } }')).status).toBe(401)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'All API keys' }).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
  })

  it('shows its descendants as a tree with links to their pages and back', async () => {
    const acme = await organization()
    const root = await keyOf(acme, { label: 'root' })
    const child = await madeBy(root, 'child')
    await madeBy(child, 'grandchild')
    await madeBy(root, 'second')
    const page = await pageOf(acme, root)
    const tree = section(page, 'Keys generated by this key')
    const branch = (label: string) =>
      tree.getByRole('listitem').filter({ has: page.getByRole('link', { name: label }) })
    await branch('child').first().getByRole('listitem').getByRole('link', { name: 'grandchild' }).waitFor()
    expect(await branch('second').getByRole('listitem').count()).toBe(0)
    await expectAccessible(page)

    await tree.getByRole('link', { name: 'child', exact: true }).click()
    await heading(page, 'child').waitFor()
    await fact(page, 'Created by').getByRole('link', { name: 'root' }).click()
    await heading(page, 'root').waitFor()
  })

  it('lists the restrictions of this key', async () => {
    const acme = await organization()
    const free = await keyOf(acme, { label: 'free' })
    const page = await pageOf(acme, free)
    await section(page, 'Restrictions').getByText('No restrictions.').waitFor()

    await setPolicy(
      { allowedNetworks: ['127.0.0.0/8', '2001:db8::/32'], allowKeyManagement: false, rejectBrowsers: true },
      acme,
    )
    await page.reload()
    const rules = page.getByRole('list', { name: 'Restrictions of this key' }).getByRole('listitem')
    await expect
      .poll(() => rules.allInnerTexts())
      .toEqual([
        'Works only from 127.0.0.0/8, 2001:db8::/32.',
        'Cannot generate, rename, rotate or revoke keys.',
        'Calls from browsers are rejected.',
      ])
    await expectAccessible(page)
  })

  it('K11: with the feature off the key is shown and can be revoked, not rotated; the link back leads to Settings', async () => {
    const acme = await organization()
    const key = await keyOf(acme)
    await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, acme.slug)
    const page = await pageOf(acme, key)
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Revoke', exact: true }).waitFor()
    await page.getByRole('link', { name: 'All API keys' }).click()
    await heading(page, 'Settings').waitFor()
    await page.getByRole('list', { name: 'Remaining keys' }).waitFor()
  })

  it('a key of a personal account has a page too, which links back to the panel of the profile', async () => {
    const here = { slug: ada.personalSlug }
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }', {}, here.slug)
    const page = await pageOf(here, await keyOf(here, { label: 'mine' }))
    await page.getByRole('link', { name: 'All API keys' }).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/${here.slug}/profile/api-keys`)
  })

  it('an unknown key and one of another organization give the same page; a Member learns nothing', async () => {
    const acme = await organization()
    const other = await organization()
    await portal.world.join(acme, bob, 'MEMBER')
    const key = await keyOf(acme, { label: 'not for Bob' })
    const words: string[] = []
    for (const id of ['none', key.id]) {
      const page = await portal.signIn(ada, { path: `/${other.slug}/api-keys/${id}` })
      await heading(page, 'Not found').waitFor()
      words.push(await page.locator('main').innerText())
    }
    expect(words[0]).toBe(words[1])

    const page = await portal.signIn(bob, { path: `/${acme.slug}/api-keys/${key.id}` })
    await page.getByRole('heading', { name: 'This page is for Admins' }).waitFor()
    expect(await page.locator('body').innerText()).not.toContain('not for Bob')
    await expectAccessible(page)
  })

  /** As the hours of a day are added up when it is over. */
  async function usedOnce({ id: keyId }: TestKey, { daysAgo, ...counted }: UsedOnce): Promise<void> {
    const at = Date.now() - daysAgo * DAY_MS
    await portal.world.database.transaction((db) =>
      db
        .insertInto('apiKeyUsageDay')
        .values({ keyId, day: at - (at % DAY_MS), ...counted })
        .execute(),
    )
  }

  /** As if its time had come. */
  async function end({ id }: TestKey): Promise<void> {
    await portal.world.database.transaction((db) =>
      db
        .updateTable('apiKey')
        .set({ expiresAt: Date.now() - 3 * DAY_MS })
        .where('id', '=', id)
        .execute(),
    )
  }
})
