import { describe, expect } from 'vitest'
import { askToRevoke, confirmRevokeOf, rowOf } from '../support/browser/api-keys-panel.ts'
import { inPanel } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'
import { fieldOf, invited, joined, peopleAs } from '../support/world/people.ts'
import { webhooksAs } from '../support/world/webhooks.ts'
import { PASSWORD } from '../support/world/world.ts'

const DEVICES = '{ devices { data { id name } } }'

const REFUSED = { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] }

const it = inPanel()

describe('Revoke', () => {
  it('C13: says what happens to the people whom the key invited', async ({ world, acme, page }) => {
    const { call } = world.asKey((await acme.generateKey({ label: 'inviter' })).secret)
    const { token } = await invited(call, { email: 'joined@example.com', role: 'ADMIN' })
    const made = fieldOf<{ secret: string }>(await call('mutation { generateApiKey { secret } }'))
    await invited(world.asKey(made.secret).call, { email: 'by-made@example.com' })
    await invited(call, { email: 'open@example.com' })
    await world.post('/auth/accept-invitation', { token, name: 'Joined', password: PASSWORD })
    await rowOf(page, 'inviter').waitFor()
    await askToRevoke(page, 'inviter')
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    const said = dialog.getByRole('region', { name: 'People it invited' })
    await said.getByText('1 open invitation is withdrawn with this key: open@example.com.').waitFor()
    await said.getByText('1 person it invited stays an Admin: Joined (joined@example.com).').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('radio', { name: 'Also revoke the key that it generated' }).click()
    const also = dialog.getByRole('region', { name: 'People they invited' })
    await also
      .getByText('2 open invitations are withdrawn with these keys: open@example.com, by-made@example.com.')
      .or(also.getByText('2 open invitations are withdrawn with these keys: by-made@example.com, open@example.com.'))
      .waitFor()
    await also.getByText('1 person they invited stays an Admin: Joined (joined@example.com).').waitFor()
  })

  it('C13: the users behind the panel are loaded again: the invitation that was withdrawn is no longer listed', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const { call } = world.asKey((await acme.generateKey({ label: 'inviter' })).secret)
    await invited(call, { email: 'open@example.com' })
    const page = await portal.signIn(ada, { path: `/${acme.slug}/users/api-keys` }) // where nobody comes back to the window
    const listed = page.locator('tr', { hasText: 'open@example.com' })
    await listed.waitFor({ state: 'attached' })
    await askToRevoke(page, 'inviter')
    await confirmRevokeOf(page, 'inviter')
    await page.getByText('“inviter” was revoked').waitFor()
    await listed.waitFor({ state: 'detached' })
  })

  it('C13: says so when the people whom the key invited cannot be loaded', async ({ acme, page }) => {
    await acme.generateKey({ label: 'inviter' })
    await page.route('**/portal/graphql', (route) =>
      route.request().postData()?.includes('InvitedUsers') ? route.fulfill({ json: REFUSED }) : route.fallback(),
    )
    await rowOf(page, 'inviter').waitFor()
    await askToRevoke(page, 'inviter')
    await page.getByText('The people it invited could not be loaded.', { exact: false }).waitFor()
  })

  it('K9: who is no longer in the organization is told so, and not that the key is revoked', async ({
    world,
    acme,
    page,
  }) => {
    const { secret } = await acme.generateKey({ label: 'ci' })
    const bob = await joined(world, acme, 'Bob', 'ADMIN')
    await askToRevoke(page, 'ci')
    const asBob = peopleAs((query, variables) => bob.call(query, variables, acme.slug))
    fieldOf(await asBob.remove(acme.admin.userId))
    await page.getByRole('button', { name: 'Revoke this key' }).click()
    await page.getByText('This organization no longer exists, or you are no longer in it.').first().waitFor()
    expect(await page.getByText(/was (already )?revoked/).count()).toBe(0)
    expect((await world.asKey(secret).call(DEVICES)).status).toBe(200)
  })

  it('says which webhooks stay that the key created, with a link to each', async ({ world, acme, page }) => {
    const { call } = world.asKey((await acme.generateKey({ label: 'deploy' })).secret)
    const made = fieldOf<{ secret: string }>(await call('mutation { generateApiKey { secret } }'))
    const { webhook } = await webhooksAs(call).create({ url: 'https://hooks.example/in', description: 'Night shift' })
    await webhooksAs(world.asKey(made.secret).call).create({ url: 'https://other.example/in' })
    await webhooksAs(acme.call).create({ url: 'https://by-ada.example/in' })
    await rowOf(page, 'deploy').waitFor()
    await askToRevoke(page, 'deploy')
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    await dialog
      .getByRole('region', { name: 'Webhooks it created' })
      .getByText('1 webhook it created stays. Disable or delete what you do not know: Night shift.')
      .waitFor()
    await expectAccessible(page)
    await dialog.getByRole('radio', { name: 'Also revoke the key that it generated' }).click()
    const also = dialog.getByRole('region', { name: 'Webhooks they created' })
    await also.getByText('2 webhooks they created stay.').waitFor()
    expect(await also.textContent()).not.toContain('by-ada')
    await also.getByRole('link', { name: 'Night shift' }).click()
    await page.waitForURL(`**/settings/webhooks/${webhook.id}`)
  })

  it('a key that was used within a day needs its label typed exactly; another one does not', async ({
    world,
    acme,
    page,
  }) => {
    const key = await acme.generateKey({ label: 'Nightly export' })
    await acme.generateKey({ label: 'idle' })
    await world.asKey(key.secret).call(DEVICES)
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    const button = dialog.getByRole('button', { name: 'Revoke this key' })
    const field = dialog.getByLabel('Type “Nightly export” to confirm')

    await askToRevoke(page, 'Nightly export')
    await dialog.getByText('This key was used in the last 24 hours, so something depends on it.').waitFor()
    for (const wrong of ['', 'nightly export', 'Nightly  export', 'Nightly']) {
      await field.fill(wrong)
      expect(await button.isDisabled(), wrong).toBe(true)
      await field.press('Enter')
    }
    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(200)
    await field.fill(' Nightly export ')
    expect(await button.isDisabled()).toBe(false)
    await field.press('Enter')
    await page.getByText('“Nightly export” was revoked').waitFor()
    expect((await world.asKey(key.secret).call(DEVICES)).status).toBe(401)

    await askToRevoke(page, 'idle')
    await dialog.getByText('No calls in the last 24 hours').waitFor()
    expect(await dialog.getByLabel(/^Type /).count()).toBe(0)
    await button.click()
    await page.getByText('“idle” was revoked').waitFor()
  })

  it('a key that is used while the dialog is open needs its label typed from then on', async ({
    world,
    acme,
    page,
  }) => {
    const key = await acme.generateKey({ label: 'ci' })
    await rowOf(page, 'ci').waitFor()
    await askToRevoke(page, 'ci')
    const button = page.getByRole('button', { name: 'Revoke this key' })
    expect(await button.isDisabled()).toBe(false)
    await world.asKey(key.secret).call(DEVICES)
    await page.getByLabel('Type “ci” to confirm').waitFor()
    expect(await button.isDisabled()).toBe(true)
    await confirmRevokeOf(page, 'ci')
    await page.getByText('“ci” was revoked').waitFor()
  })
})
