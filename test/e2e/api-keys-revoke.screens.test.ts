import { describe, expect } from 'vitest'
import {
  askToRevoke,
  confirmRevokeOf,
  countOf,
  generate,
  openPanelOf,
  panelOf,
  rowOf,
} from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, noSidewaysScroll, PHONE } from '../support/browser/portal-page.ts'
import { joined } from '../support/world/people.ts'

const DEVICES = '{ devices { data { id name } } }'

const it = inPanel()

describe('Revoke', () => {
  it('K8: asks, shows the key and its usage, and does nothing until its button is pressed', async ({
    world,
    acme,
    page,
  }) => {
    const key = await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })

    await askToRevoke(page, 'ci')
    await dialog.getByText('Never used').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await world.asKey(key.secret).call(DEVICES)
    await expect.poll(() => rowOf(page, 'ci').textContent()).toContain('from 127.0.0.1')
    await askToRevoke(page, 'ci')
    const words = await dialog.textContent()
    for (const said of ['ci', key.secret.slice(0, 10), 'Last used', 'from 127.0.0.1', 'permanent', 'at once']) {
      expect(words).toContain(said)
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await panelOf(page).count()).toBe(1)
    await askToRevoke(page, 'ci')
    await dialog.waitFor()
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })

    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(200)
    expect(await rowOf(page, 'ci').count()).toBe(1)
  })

  it('K8, K9: then the row is gone, a message says so, and the key is refused; a double click acts once', async ({
    world,
    page,
  }) => {
    const sent = countOf(page, 'RevokeApiKey')
    const secret = await generate(page, 'ci')
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await askToRevoke(page, 'ci')
    await page.getByRole('button', { name: 'Revoke this key' }).dblclick()
    await page.getByText('“ci” was revoked').waitFor()
    await rowOf(page, 'ci').waitFor({ state: 'detached' })
    expect(sent()).toBe(1)
    expect((await world.asKey(secret).call(DEVICES)).errors.map(({ code }) => code)).toEqual(['API_KEY_INVALID'])
  })

  it('K10: a key revoked in one browser is refused by the next call, and disappears in the other one on focus', async ({
    world,
    portal,
    acme,
    page,
  }) => {
    const grace = await joined(world, acme, 'Grace', 'ADMIN')
    const other = await openPanelOf(portal, grace, acme)
    await other.clock.install()
    await other.reload()
    const key = await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await other.clock.runFor(2_000)
    await rowOf(other, 'ci').waitFor()
    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(200)

    await askToRevoke(page, 'ci')
    const answered = page.waitForResponse(
      (response) => response.request().postData()?.includes('RevokeApiKey') === true,
    )
    await confirmRevokeOf(page, 'ci') // it has just been used
    await answered
    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(401)
    await other.clock.runFor(2_000)
    await rowOf(other, 'ci').waitFor({ state: 'detached' })
  })

  it('a key that somebody else has revoked in the meantime counts as revoked', async ({ acme, page }) => {
    const { id } = await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await askToRevoke(page, 'ci')
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“ci” was already revoked').waitFor()
  })

  it('a failed revoke says why and keeps the dialog open; a retry succeeds', async ({ world, portal, ada, acme }) => {
    const page = await openPanelOf(portal, ada, acme, { mayComplain: /net::ERR_/ })
    const key = await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await askToRevoke(page, 'ci')
    await page.route('**/portal/graphql', (route) => route.abort())
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    await dialog.getByText('Can’t reach the portal').waitFor()
    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(200)
    await page.unroute('**/portal/graphql')
    await confirmRevokeOf(page, 'ci') // it has been used meanwhile
    await page.getByText('“ci” was revoked').waitFor()
    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(401)
  })

  it('C2: also revokes the keys that the key generated, on request', async ({ world, acme, page }) => {
    const parent = await acme.generateKey({ label: 'parent' })
    const made = await world
      .asKey(parent.secret)
      .call('mutation { generateApiKey(input: { label: "child" }) { secret } }')
    const { secret } = (made.data as { generateApiKey: { secret: string } }).generateApiKey
    await rowOf(page, 'child').waitFor()

    await askToRevoke(page, 'child')
    expect(await page.getByRole('dialog', { name: 'Revoke this key?' }).getByRole('radio').count()).toBe(0)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await askToRevoke(page, 'parent')
    await page.getByRole('radio', { name: 'Also revoke the key that it generated' }).check()
    await confirmRevokeOf(page, 'parent', 'Revoke 2 keys') // making a key is a use of it
    await page.getByText('No keys yet').waitFor()
    expect((await world.asKey(secret).call(DEVICES)).status).toBe(401)
  })

  it('the dialog is accessible, and fits a phone', async ({ acme, page }) => {
    await acme.generateKey({ label: 'ci' })
    await askToRevoke(page, 'ci')
    await page.getByRole('button', { name: 'Revoke this key' }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScroll(page)
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('“ci” was revoked').waitFor()
    await expectAccessible(page)
  })
})
