import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { noSidewaysScrollInDialogs } from '../support/browser/api-keys-panel.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, PHONE, type Portal } from '../support/browser/portal-page.ts'
import { fieldOf } from '../support/world/people.ts'
import type { Person, TestOrganization } from '../support/world/world.ts'

const POLICY = `{ apiKeyPolicy {
  maxKeys maxLifetimeDays expiryRequired labelRequired allowedNetworks allowKeyManagement rejectBrowsers } }`

const NONE = {
  maxKeys: null,
  maxLifetimeDays: null,
  expiryRequired: false,
  labelRequired: false,
  allowedNetworks: [],
  allowKeyManagement: true,
  rejectBrowsers: false,
}

const it = inPortal()

describe('the policy for keys, in Settings', () => {
  let organizations = 0
  const organization = (portal: Portal, ada: Person) =>
    portal.world.organization(`Acme ${++organizations}`, { admin: ada })
  const settingsOf = async (
    portal: Portal,
    ada: Person,
    { slug }: { slug: string },
    options: Parameters<Portal['signIn']>[1] = {},
  ) => {
    const page = await portal.signIn(ada, { path: `/${slug}/settings`, ...options })
    await page.getByLabel('Maximum number of keys').waitFor()
    return page
  }
  const policyOf = async (ada: Person, { slug }: TestOrganization) => fieldOf(await ada.call(POLICY, {}, slug))
  const endOf = async (ada: Person, { slug }: TestOrganization, { id }: { id: string }) =>
    fieldOf<{ expiresAt: string | null }>(
      await ada.call('query ($id: ID!) { apiKey(id: $id) { expiresAt } }', { id }, slug),
    ).expiresAt
  const save = (page: Page) => page.getByRole('button', { name: 'Save policy' }).first().click()
  const saved = (page: Page) => page.getByText('Policy saved.').first().waitFor()
  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Some keys violate the new policy' })
  const violation = (page: Page, rule: string) => dialog(page).getByRole('region', { name: rule, exact: true })

  it('saves every rule, shows what was saved, and clears emptied fields', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    const page = await settingsOf(portal, ada, acme)
    await expectAccessible(page)
    await page.getByLabel('Maximum number of keys').fill(' 5 ')
    await page.getByLabel('Maximum lifetime (days)').fill('90')
    await page.getByLabel('Allowed networks').fill('10.0.0.0/8\n\n 2001:db8::/32 ')
    for (const label of ['Require an expiration date', 'Require a label', 'Reject calls from browsers']) {
      await page.getByLabel(label).check()
    }
    await page.getByLabel('Allow keys to manage keys').uncheck()
    await save(page)
    await saved(page)
    const all = {
      maxKeys: 5,
      maxLifetimeDays: 90,
      expiryRequired: true,
      labelRequired: true,
      allowedNetworks: ['10.0.0.0/8', '2001:db8::/32'],
      allowKeyManagement: false,
      rejectBrowsers: true,
    }
    expect(await policyOf(ada, acme)).toEqual(all)

    await page.reload()
    await expect.poll(() => page.getByLabel('Maximum number of keys').inputValue()).toBe('5')
    expect(await page.getByLabel('Allowed networks').inputValue()).toBe('10.0.0.0/8\n2001:db8::/32')
    expect(await page.getByLabel('Allow keys to manage keys').isChecked()).toBe(false)
    await page.getByLabel('Maximum number of keys').fill('')
    await page.getByLabel('Allowed networks').fill('')
    await page.getByLabel('Require an expiration date').uncheck()
    await save(page)
    await saved(page)
    expect(await policyOf(ada, acme)).toEqual({ ...all, maxKeys: null, allowedNetworks: [], expiryRequired: false })
  })

  it.for<[string, string]>([
    ['Maximum number of keys', '0'],
    ['Maximum number of keys', 'five'],
    ['Maximum lifetime (days)', '-1'],
    ['Allowed networks', '10.0.0.0/40'],
  ])(
    '%s: %s is refused at its field; what was typed is kept, and nothing is saved',
    async ([label, typed], { portal, ada }) => {
      const acme = await organization(portal, ada)
      const page = await settingsOf(portal, ada, acme)
      await page.getByLabel('Require an expiration date').check()
      await page.getByLabel(label).fill(typed)
      await save(page)
      await expect.poll(() => page.getByLabel(label).getAttribute('aria-invalid')).toBe('true')
      await expect.poll(() => page.evaluate('document.activeElement?.value')).toBe(typed)
      expect(await page.getByLabel('Require an expiration date').isChecked()).toBe(true)
      expect(await policyOf(ada, acme)).toEqual(NONE)
      await expectAccessible(page)
    },
  )

  it('lists the keys that violate a rule and what would happen to them; Cancel saves nothing', async ({
    portal,
    ada,
  }) => {
    const acme = await organization(portal, ada)
    await portal.world.generateKey(ada, acme, { label: 'endless' })
    await portal.world.generateKey(ada, acme, {})
    const page = await settingsOf(portal, ada, acme)
    await page.getByLabel('Require an expiration date').check()
    await page.getByLabel('Require a label').check()
    await save(page)
    const ends = violation(page, 'Require an expiration date')
    await ends.getByRole('listitem').filter({ hasText: 'endless' }).waitFor()
    expect(await ends.getByRole('listitem').count()).toBe(2)
    await ends.getByText(/90 days from now\.$/).waitFor()
    const labels = violation(page, 'Require a label')
    expect(await labels.getByRole('listitem').allInnerTexts()).toEqual([expect.stringMatching(/^key-/)])
    await labels.getByText('They are refused until somebody gives them a label.').waitFor()
    for (const box of await dialog(page).getByRole('checkbox').all()) expect(await box.isChecked()).toBe(false)
    await expectAccessible(page)

    await dialog(page).getByRole('button', { name: 'Cancel' }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    expect(await policyOf(ada, acme)).toEqual(NONE)
    expect(await page.getByLabel('Require a label').isChecked()).toBe(true)
  })

  it('applies only the selected rules to existing keys', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    const endless = await portal.world.generateKey(ada, acme, { label: 'endless' })
    const nameless = await portal.world.generateKey(ada, acme, {})
    const page = await settingsOf(portal, ada, acme)
    await page.getByLabel('Require an expiration date').check()
    await page.getByLabel('Require a label').check()
    await save(page)
    await violation(page, 'Require a label').getByRole('checkbox', { name: 'Apply to this key' }).check()
    await dialog(page).getByRole('button', { name: 'Save policy' }).click()
    await saved(page)
    await dialog(page).waitFor({ state: 'hidden' })

    expect(await policyOf(ada, acme)).toEqual({ ...NONE, expiryRequired: true, labelRequired: true })
    expect([await endOf(ada, acme, endless), await endOf(ada, acme, nameless)]).toEqual([null, null])
    const statuses = [endless, nameless].map(
      async ({ secret }) => (await portal.world.asKey(secret).call('{ viewer { role } }')).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 403])
  })

  it('the question works by keyboard and on a phone, with many keys', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    for (let i = 0; i < 15; i++) {
      await portal.world.generateKey(ada, acme, { label: `key ${i} ${'x'.repeat(70)}` })
    }
    const page = await settingsOf(portal, ada, acme, { viewport: PHONE })
    await page.getByLabel('Require an expiration date').check()
    await page.getByRole('button', { name: 'Save policy' }).focus()
    await page.keyboard.press('Enter')
    await dialog(page).waitFor()
    await noSidewaysScrollInDialogs(page)
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Cancel')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Space')
    expect(await dialog(page).getByRole('checkbox').isChecked()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Save policy')
    expect(await policyOf(ada, acme)).toEqual(NONE)
  })

  it('the panel offers what the policy allows, and shows a refusal at its field', async ({ portal, ada }) => {
    const acme = await organization(portal, ada)
    await ada.call(
      'mutation { setApiKeyPolicy(input: { maxLifetimeDays: 90, labelRequired: true }) { maxKeys } }',
      {},
      acme.slug,
    )
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys` })
    await page.getByText('At most 90 days from now.').waitFor()
    await page.getByText('Required: what the key is for.').waitFor()
    const expiration = page.getByLabel('Expiration', { exact: true })
    expect(await expiration.locator('option').allInnerTexts()).toEqual(['7 days', '30 days', '90 days', 'Custom date'])
    const generate = page.getByRole('button', { name: 'Generate Key' })
    await expiration.selectOption('Custom date')
    await page.getByLabel('Expiration date').fill('2099-12-31')
    await generate.click()
    await expect.poll(() => page.getByLabel('Expiration date').getAttribute('aria-invalid')).toBe('true')
    const lastDate = await page.getByLabel('Expiration date').getAttribute('max')
    await page.getByLabel('Expiration date').fill(lastDate ?? '')
    await generate.click()
    await expect.poll(() => page.getByLabel('Label').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Label').fill('nightly')
    await expiration.selectOption('90 days')
    await generate.click()
    await page.getByLabel('Secret', { exact: true }).waitFor()
  })

  it('K2: a Member sees no policy, and none is requested', async ({ portal, ada, bob }) => {
    const acme = await organization(portal, ada)
    await portal.world.join(acme, bob, 'MEMBER')
    const asked: string[] = []
    const page = await portal.signIn(bob, { path: `/${acme.slug}/devices` })
    page.on('request', (request) => asked.push(request.postData() ?? ''))
    await page.goto(`/${acme.slug}/settings`)
    await page.getByText('Only Admins can change this').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.getByText(/API key policy|Emails/).count()).toBe(0)
    expect(asked.filter((query) => /apiKeyPolicy|emails|expiringApiKeys/.test(query))).toEqual([])
  })
})
