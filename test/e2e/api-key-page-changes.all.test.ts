import { describe, expect } from 'vitest'
import { fact, inKeyPage, NIGHTLY, section, use } from '../support/browser/api-key-page.ts'
import { expectAccessible, heading, press } from '../support/browser/portal-page.ts'

const it = inKeyPage()

describe('the page of one key', () => {
  it('rotates: shows the new secret, and which of the two keys is still used, and from where', async ({
    world,
    key,
    pageOf,
  }) => {
    const page = await pageOf(key)
    await press(page, 'Rotate')
    await page.getByRole('dialog', { name: 'Rotate this key?' }).getByRole('button', { name: 'Rotate key' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await press(page, 'I have stored it')
    const rotation = section(page, 'Rotation')
    await rotation.getByText('The old key has not been used since it was replaced. You can revoke it.').waitFor()
    expect(await fact(page, 'Status').innerText()).toBe('Being replaced')
    expect(await page.getByRole('button', { name: 'Rotate' }).count()).toBe(0)

    await use(world, key)
    await rotation.getByText('The old key is still used').waitFor()
    const sides = rotation.getByRole('list').getByRole('listitem')
    await sides.filter({ hasText: /^Old: .*this key.*from 127\.0\.0\.1 by node/ }).waitFor()
    await sides.filter({ hasText: /^New: .*Never used/ }).waitFor()
    await expectAccessible(page)

    await rotation.getByRole('link', { name: `${secret.slice(0, 10)}…` }).click()
    await expect.poll(() => fact(page, 'Secret').innerText()).toBe(`${secret.slice(0, 10)}…`)
    await sides.filter({ hasText: /^New: .*this key/ }).waitFor()
    expect(await fact(page, 'Status').innerText()).toBe('Active')
  })

  it('C8: a secret stays visible although the old key is revoked at once', async ({ world, key, pageOf }) => {
    const page = await pageOf(key)
    await press(page, 'Rotate')
    const dialog = page.getByRole('dialog', { name: 'Rotate this key?' })
    await dialog.getByLabel('Expiration of the old secret').selectOption('0')
    await dialog.getByRole('button', { name: 'Rotate key' }).click()
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue()
    await page
      .getByRole('heading', { name: 'This key no longer exists', includeHidden: true })
      .waitFor({ state: 'attached' })
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toBe(secret)
    expect((await world.asKey(secret).call(NIGHTLY)).status).toBe(200)
    expect((await world.asKey(key.secret).call(NIGHTLY)).status).toBe(401)
    await press(page, 'I have stored it')
    await heading(page, 'This key no longer exists').waitFor()
  })

  it('K8: Revoke asks first; then the page says that the key is revoked, and links to the others', async ({
    world,
    acme,
    pageOf,
  }) => {
    const key = await acme.generateKey({ label: 'leaked' })
    const page = await pageOf(key)
    await press(page, 'Revoke')
    const dialog = page.getByRole('dialog', { name: 'Revoke this key?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Revoke')
    expect((await world.asKey(key.secret).call('{ viewer { role } }')).status).toBe(200)

    await press(page, 'Revoke')
    await dialog.getByLabel(/^Type .leaked. to confirm/).fill('leaked') // it has just been used
    await dialog.getByRole('button', { name: 'Revoke this key' }).click()
    await heading(page, 'This key no longer exists').waitFor()
    expect((await world.asKey(key.secret).call('{ viewer { role } }')).status).toBe(401)
    await expectAccessible(page)
    await page.getByRole('link', { name: 'All API keys' }).click()
    await heading(page, 'API Keys').waitFor()
  })
})
