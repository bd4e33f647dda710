import { expect } from 'vitest'
import { inPortalOrganization } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, press } from '../support/browser/portal-page.ts'

const it = inPortalOrganization()

it('W1, K5, K8: the keys have a page too, with all that the panel has, for Admins while the feature is on', async ({
  world,
  portal,
  ada,
  acme,
}) => {
  const page = await portal.signIn(ada, { path: `/${acme.slug}/overview` })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).click()
  await heading(page, 'API Keys').waitFor()
  await page.getByLabel('Label', { exact: true }).fill('nightly')
  await press(page, 'Generate Key')
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
  await press(page, 'I have stored it')
  expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(200)
  const row = page.getByRole('row', { name: 'nightly' })
  await row.getByText('from 127.0.0.1').waitFor()
  await expectAccessible(page)

  await row.getByRole('button', { name: 'Actions for nightly' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await page.getByLabel('Type “nightly” to confirm').fill('nightly')
  await press(page, 'Revoke this key')
  await page.getByText('No keys yet').waitFor()
  expect((await world.asKey(secret).call('{ viewer { role } }')).status).toBe(401)

  await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, acme.slug)
  await page.reload()
  await page.getByText('API keys are off for this organization.').waitFor()
  expect(await page.getByRole('button', { name: 'Generate Key' }).count()).toBe(0)
  expect(await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).count()).toBe(0)
})

it('K2: a Member reads that the page is for Admins', async ({ portal, bob, acme }) => {
  const page = await portal.signIn(bob, { path: `/${acme.slug}/api-keys` })
  await page.getByText('Only Admins of this organization can view API keys.').waitFor()
})
