import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { generate } from '../support/browser/api-keys-panel.ts'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, press } from '../support/browser/portal-page.ts'
import { call } from '../support/world/http.ts'
import type { TestOrganization } from '../support/world/world.ts'

const it = inPortalOrganization()

const addDevice = (acme: TestOrganization, name: string) =>
  acme.call('mutation ($name: String!) { createDevice(input: { name: $name }) { id } }', { name })

/** The link of a number, by what is counted. */
const numberOf = (page: Page, words: RegExp) => page.getByRole('main').getByRole('link', { name: words })

const step = (page: Page, title: string, state: 'done' | 'to do') =>
  page.getByRole('listitem').getByText(`${title}: ${state}`)

describe('the overview', () => {
  it('is the first page after signing in, and its numbers lead to the lists behind them', async ({
    portal,
    ada,
    acme,
  }) => {
    await addDevice(acme, 'edge-1')
    await addDevice(acme, 'edge-2')
    await acme.call('mutation ($id: ID!) { checkInDevice(id: $id) { id } }', {
      id: ((await addDevice(acme, 'edge-3')).data as { createDevice: { id: string } }).createDevice.id,
    })
    const key = await acme.generateKey({ label: 'busy one' })
    await call(`${portal.url}/graphql`, { 'api-secret': key.secret }, '{ devices { data { id } } }')
    const page = await portal.open({ path: '/sign-in' })
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password', { exact: true }).fill(ada.password)
    await press(page, 'Sign in')
    await heading(page, 'Overview').waitFor()
    expect(await page.getByRole('link', { name: 'Overview' }).getAttribute('aria-current')).toBe('page')
    await page.getByRole('link', { name: 'busy one' }).waitFor()
    await expectAccessible(page)

    await numberOf(page, /^Never seen 2 /).click()
    await heading(page, 'Devices').waitFor()
    expect(new URL(page.url()).search).toBe('?status=NEVER_SEEN')
    await page.getByText('2 devices match').waitFor()

    await page.getByRole('link', { name: 'Overview' }).click()
    await numberOf(page, /^Online 1 /).waitFor()
    await numberOf(page, /^Active 1 /).click()
    await page.getByRole('dialog', { name: 'API Keys' }).waitFor()
    expect(new URL(page.url()).search).toBe('?state=active')

    await page.goto(`/${acme.slug}/overview`)
    await page.getByRole('link', { name: 'View audit log' }).click()
    await heading(page, 'Audit').waitFor()
  })

  it('leads a new organization from nothing to the first check-in, and each step shows by itself', async ({
    portal,
    ada,
  }) => {
    await portal.world.organization('Fresh', { admin: ada, apiKeys: false })
    const page = await portal.signIn(ada)
    await page.getByRole('button', { name: 'Account: ' }).click()
    await page.getByRole('menuitem', { name: 'Fresh' }).click()
    await page.getByText('0 of 5 done').waitFor()
    await expectAccessible(page)

    await press(page, 'Switch on API keys')
    await step(page, 'Switch on API keys', 'done').waitFor()
    const secret = await generate(page)
    await press(page, 'I have stored it')
    await step(page, 'Generate an API key', 'done').waitFor()
    expect(await page.getByLabel('First call', { exact: true }).inputValue()).toContain(`curl ${portal.url}/graphql`)

    const asKey = (query: string) => call(`${portal.url}/graphql`, { 'api-secret': secret }, query)
    expect((await asKey('{ devices { data { id name } } }')).status).toBe(200)
    await step(page, 'Make the first call', 'done').waitFor()

    await press(page, 'Add device')
    await page.getByRole('dialog', { name: 'Add device' }).getByLabel('Name', { exact: true }).fill('press-7')
    await page.getByRole('dialog', { name: 'Add device' }).getByRole('button', { name: 'Add device' }).click()
    await step(page, 'Add a device', 'done').waitFor()
    const command = await page.getByLabel('Check-in call', { exact: true }).inputValue()
    await expectAccessible(page)

    const { query } = JSON.parse(/-d '(.*)'$/s.exec(command)?.[1] ?? '{}')
    expect((await asKey(query)).errors).toEqual([])
    await numberOf(page, /^Online 1 /).waitFor()
    await expect.poll(() => page.getByText('Get started').count()).toBe(0)
  })
})
