import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  askToRevoke,
  callAs,
  confirmRevokeOf,
  noSidewaysScrollInDialogs,
  openPanel,
  panelOf,
  rowOf,
} from '../support/api-keys-panel.ts'
import { expectAccessible, openPortal, PHONE, type Portal } from '../support/portal-page.ts'

const DEVICES = '{ devices { data { id name } } }'

describe('what is at stake when a key is revoked', () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal.close())

  it('says what will break: calls, addresses, programs and operations of the last 24 hours', async () => {
    const { world } = portal
    const { ada, acme, page } = await openPanel(portal)
    const key = await world.generateKey(ada, acme, { label: 'ci' })
    for (let i = 0; i < 3; i++) await callAs(portal, 'exporter/2.1', key.secret, 'query Nightly { viewer { role } }')
    await callAs(portal, 'curl/8.9.1', key.secret, 'query Once { viewer { role } }')
    await rowOf(page, 'ci').waitFor()
    await askToRevoke(page, 'ci')
    const seen = page.getByRole('region', { name: 'What will break' })
    await seen.getByText('4 calls in the last 24 hours').waitFor({ timeout: 20_000 })
    const words = await seen.textContent()
    for (const said of ['4 × 127.0.0.1', '3 × exporter/2.1', '1 × curl/8.9.1', '3 × Nightly', '1 × Once']) {
      expect(words).toContain(said)
    }
    expect(words?.indexOf('exporter')).toBeLessThan(words?.indexOf('curl') ?? 0)
  })

  it('does not wait for what will break, and can do without it', async () => {
    const { world } = portal
    const { ada, acme, page } = await openPanel(portal, { mayComplain: /net::ERR_/ })
    for (const label of ['slow', 'broken']) await world.generateKey(ada, acme, { label })
    await rowOf(page, 'broken').waitFor()
    await onAtStake(page, () => new Promise(() => undefined))
    await askToRevoke(page, 'slow')
    await page.getByRole('status', { name: 'Looking for what it did lately' }).waitFor()
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“slow” is revoked').waitFor()

    await onAtStake(page, (route) => route.abort())
    await askToRevoke(page, 'broken')
    await page.getByText('What it did in the last 24 hours could not be found out').waitFor({ timeout: 15_000 })
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“broken” is revoked').waitFor()
  })

  it('C2: shows which key made which as a tree, and revokes with or without those below', async () => {
    const { world } = portal
    const { ada, acme, page } = await openPanel(portal)
    const root = await world.generateKey(ada, acme, { label: 'root' })
    const madeBy = async (secret: string, label: string) => {
      const mutation = 'mutation ($label: String) { generateApiKey(input: { label: $label }) { secret } }'
      const { data } = await world.asKey(secret).call(mutation, { label })
      return (data as { generateApiKey: { secret: string } }).generateApiKey.secret
    }
    const child = await madeBy(root.secret, 'child')
    const grandchild = await madeBy(child, 'grandchild')
    await madeBy(root.secret, 'other child')
    await rowOf(page, 'other child').waitFor()

    await askToRevoke(page, 'root')
    const tree = page.getByRole('region', { name: 'Keys that it generated' })
    await tree.getByText('grandchild').waitFor()
    const lines = async () => (await tree.getByRole('listitem').allTextContents()).map((line) => line.trim())
    expect(await lines()).toEqual(['child (stays active)', 'grandchild (stays active)', 'other child (stays active)'])
    await page.getByRole('radio', { name: 'Also revoke the 3 keys that it generated' }).check()
    expect(await lines()).toContain('grandchild (will be revoked)')
    await page.getByRole('button', { name: 'Revoke 4 keys' }).waitFor()
    await page.getByRole('radio', { name: 'Revoke only this key; the 3 keys that it generated stay active' }).check()
    await confirmRevokeOf(page, 'root')
    await page
      .getByText('“root” is revoked.')
      .filter({ hasText: '3 keys that it generated are still active' })
      .waitFor()
    expect((await world.asKey(grandchild).call(DEVICES)).status).toBe(200)

    await askToRevoke(page, 'child')
    await page.getByRole('radio', { name: 'Also revoke the key that it generated' }).check()
    await confirmRevokeOf(page, 'child', 'Revoke 2 keys')
    await page.getByText('“child” and the key that it generated are revoked').waitFor()
    expect((await world.asKey(grandchild).call(DEVICES)).status).toBe(401)
    expect(await rowOf(page, 'other child').count()).toBe(1)
  })

  it('wants typing too when a key that goes along was used within a day', async () => {
    const { world } = portal
    const { ada, acme, page } = await openPanel(portal)
    const parent = await world.generateKey(ada, acme, { label: 'parent' })
    const made = await world.asKey(parent.secret).call('mutation { generateApiKey { secret } }')
    const { secret } = (made.data as { generateApiKey: { secret: string } }).generateApiKey
    await world.asKey(secret).call(DEVICES)
    await expect.poll(() => panelOf(page).getByRole('listitem').filter({ hasText: 'Last used' }).count()).toBe(2) // written down: it can be made old
    await world.database.transaction(async (db) => {
      await db.deleteFrom('apiKeyUsage').where('keyId', '=', parent.id).execute()
      await db.updateTable('apiKey').set({ lastUsedAt: 1 }).where('id', '=', parent.id).execute()
    })
    await expect.poll(() => rowOf(page, 'parent').textContent()).toContain('56 years ago')
    await askToRevoke(page, 'parent')
    const button = page.getByRole('button', { name: 'Revoke this key' })
    await page.getByText('No calls in the last 24 hours').waitFor()
    expect(await button.isDisabled()).toBe(false)
    await page.getByRole('radio', { name: 'Also revoke the key that it generated' }).check()
    await page.getByText('A key that it generated was used within the last 24 hours').waitFor()
    expect(await page.getByRole('button', { name: 'Revoke 2 keys' }).isDisabled()).toBe(true)
  })

  it('with everything in it, the dialog is found in every light, and fits a phone', async () => {
    const { world } = portal
    const { ada, acme, page } = await openPanel(portal)
    const key = await world.generateKey(ada, acme, { label: `export ${'long '.repeat(12)}`.trim() })
    const makeKey = `mutation { generateApiKey(input: { label: "${'made '.repeat(14)}" }) { secret } }`
    let { secret } = key
    for (let depth = 0; depth < 20; depth++) {
      const { data } = await world.asKey(secret).call(makeKey)
      secret = (data as { generateApiKey: { secret: string } }).generateApiKey.secret
    }
    await callAs(portal, 'agent'.repeat(30), key.secret, `query ${'Long'.repeat(20)} { viewer { role } }`)
    await rowOf(page, key.label).getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByRole('region', { name: 'What will break' }).getByText('Long').waitFor({ timeout: 20_000 })
    await page.getByRole('radio', { name: 'Also revoke the 20 keys that it generated' }).check()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScrollInDialogs(page)
  })
})

/** What becomes of the question what a revoke would break; everything else goes through. */
const onAtStake = (page: Page, handle: (route: Route) => Promise<unknown>) =>
  page.route('**/portal/graphql', (route) =>
    route.request().postData()?.includes('query AtStake') ? handle(route) : route.fallback(),
  )
