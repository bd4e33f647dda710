import { describe, expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, PHONE, press } from '../support/browser/portal-page.ts'
import { call } from '../support/world/http.ts'

const it = inPortalOrganization()

describe('the overview of', () => {
  it('K2: a Member has the devices alone', async ({ portal, acme, bob }) => {
    await acme.generateKey({ label: 'not for Bob' })
    await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')
    const page = await portal.signIn(bob, { path: `/${acme.slug}/overview` })
    await page.getByRole('link', { name: /^Never seen 1 / }).waitFor()
    const titles = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(titles).toEqual(['Devices'])
    await expectAccessible(page)
  })

  it('a Member of an organization without devices says who can add them', async ({ portal, acme, bob }) => {
    const page = await portal.signIn(bob, { path: `/${acme.slug}/overview` })
    await page.getByText('No devices yet. Admins of this organization can add them').waitFor()
  })

  it('F2: an organization with API keys switched off has the switch, and nothing else of keys', async ({
    portal,
    ada,
  }) => {
    const off = await portal.world.organization('Switched off', { admin: ada, apiKeys: false })
    const page = await portal.signIn(ada, { path: `/${off.slug}/overview` })
    await press(page, 'Dismiss checklist')
    await page.getByText('API keys are off: nobody can generate a key.').waitFor()
    expect(await page.getByText('Calls by day').count()).toBe(0)
    await press(page, 'Switch on API keys')
    await page.getByText('No key was used in the last 30 days.').waitFor()
  })

  it('a personal account leads to its own keys', async ({ portal, ada }) => {
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    await ada.call('mutation { generateApiKey(input: { label: "mine" }) { secret } }')
    const page = await portal.signIn(ada, { path: `/${ada.personalSlug}/overview` })
    await page.getByRole('link', { name: /^Active 1 / }).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/${ada.personalSlug}/profile/api-keys`)
  })
})

describe('the checklist', () => {
  it('can be dismissed, for this person and organization alone', async ({ portal, ada, acme }) => {
    const other = await portal.world.organization('Other', { admin: ada })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/overview` })
    await press(page, 'Dismiss checklist')
    await page.getByText('No devices yet.').waitFor()
    await page.reload()
    await page.getByText('No devices yet.').waitFor()
    expect(await page.getByText('Get started').count()).toBe(0)
    await page.goto(`/${other.slug}/overview`)
    await page.getByText('Get started').waitFor()
  })

  it('keeps what was done, also when the key is revoked', async ({ portal, ada, acme }) => {
    const { id, secret } = await acme.generateKey()
    await call(`${portal.url}/graphql`, { 'api-secret': secret }, '{ viewer { role } }')
    const page = await portal.signIn(ada, { path: `/${acme.slug}/overview` })
    await page.getByText('3 of 5 done').waitFor()
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
    await page.reload()
    await page.getByText('Get started').waitFor()
    expect(await page.getByText('3 of 5 done').count()).toBe(1)
  })

  it('works by keyboard on a phone', async ({ portal, ada }) => {
    const fresh = await portal.world.organization('On a phone', { admin: ada, apiKeys: false })
    const page = await portal.signIn(ada, { path: `/${fresh.slug}/overview`, viewport: { ...PHONE, width: 390 } })
    await page.getByText('0 of 5 done').waitFor()
    await page.getByRole('button', { name: 'Switch on API keys' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('1 of 5 done').waitFor()
    await page.getByRole('button', { name: 'Generate Key' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('2 of 5 done').waitFor()
    await expectAccessible(page)
  })
})

it('the chart of all keys is read by arrow keys and as a table', async ({ portal, ada, acme }) => {
  const { secret } = await acme.generateKey()
  await call(`${portal.url}/graphql`, { 'api-secret': secret }, '{ viewer { role } }')
  const page = await portal.signIn(ada, { path: `/${acme.slug}/overview` })
  await page.getByText('1 call in 30 days').first().waitFor()
  const chart = page.getByRole('slider', { name: /^Calls by day/ })
  await chart.focus()
  await page.keyboard.press('End')
  const read = () => chart.getAttribute('aria-valuetext')
  await expect.poll(read).toMatch(/: (1 call|No calls)$/)
  if (!/: 1 call$/.test((await read()) ?? '')) await page.keyboard.press('ArrowLeft') // midnight has passed since
  await expect.poll(read).toMatch(/: 1 call$/)
  await page.getByText('Show as table').click()
  await page.getByRole('columnheader', { name: 'Day (UTC)' }).waitFor()
  await heading(page, 'Overview').waitFor()
  await expectAccessible(page)
})
