import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { busyAccounts } from '../support/browser/first-visit.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, press } from '../support/browser/portal-page.ts'
import { supportStaff } from '../support/world/people.ts'
import { webhooksAs } from '../support/world/webhooks.ts'

const it = inPortal()
  .extend('ada', { scope: 'file' }, ({ world }) => supportStaff(world, 'Ada'))
  .extend('accounts', { scope: 'file' }, ({ world, ada }) => busyAccounts(world, ada))

/** The fields whose text goes into the address. */
const FIELDS = [
  ['/$slug/users/api-keys', 'Search'],
  ['/$slug/devices', 'Search'],
  ['/$slug/devices', 'Tag'],
  ['/$slug/api/reference', 'Search the reference'],
] as const

/** Every address that the browser is told, and what it asks for. */
function addressesOf(page: Page): string[] {
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  page.on('framenavigated', (frame) => addresses.push(frame.url()))
  return addresses
}

const stored = (page: Page) =>
  page.evaluate(
    'location.href + document.title + JSON.stringify(history.state) + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)',
  ) as Promise<string>

const paste = (page: Page, name: string, text: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text', ${JSON.stringify(text)})
    const field = [...document.querySelectorAll('input')].find(({ ariaLabel }) => ariaLabel === ${JSON.stringify(name)})
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)

describe('a secret that is entered where something is searched for', () => {
  it.for(FIELDS)('is in no address, and leads to its key: %s, %s', async ([route, name], { portal, ada, accounts }) => {
    const { label, secret } = await accounts.acme.generateKey({ label: `of ${route} ${name}` })
    const page = await portal.signIn(ada, { path: accounts.pathOf(route) })
    const addresses = addressesOf(page)
    const field = page.getByLabel(name, { exact: true })
    const found = page.getByText(`This is the secret of ${label}`)
    for (const enter of [
      () => field.pressSequentially(secret),
      () => field.fill(` ${secret} `),
      () => paste(page, name, `\n  ${secret}\n`),
      () => paste(page, name, `# production\nexport API_SECRET="${secret}" # until ${'a long time '.repeat(20)}`),
      () => paste(page, name, `${secret.slice(0, 30)}\r\n${secret.slice(30)}`),
      () => paste(page, name, secret.replace('_', '\\_').replace(/.{16}/g, '$&\u200b ')),
    ]) {
      await enter()
      if (name === 'Tag') await field.press('Enter')
      await found.waitFor()
      expect(await field.inputValue()).toBe('')
      expect(await stored(page)).not.toContain(secret.slice(0, 24))
      await press(page, 'Close notice')
      await found.waitFor({ state: 'detached' })
    }
    await field.fill(secret)
    if (name === 'Tag') await field.press('Enter')
    await found.waitFor()
    await expectAccessible(page)
    await press(page, 'Show this key')
    await heading(page, label).waitFor()
    expect(addresses.filter((address) => address.includes(secret.slice(0, 24)))).toEqual([])
  })

  it('is not of this organization, or not whole: it says so, and is in no address', async ({
    portal,
    ada,
    accounts,
  }) => {
    const { id, secret } = await accounts.acme.generateKey({ label: 'revoked' })
    const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
    await ada.call(revoke, { id }, accounts.acme.slug)
    const page = await portal.signIn(ada, { path: accounts.pathOf('/$slug/devices') })
    const addresses = addressesOf(page)
    await page.getByLabel('Search').fill(secret)
    await page.getByText('No active key of Acme has this secret.').waitFor()
    await paste(page, 'Search', secret.slice(0, 40))
    await page.getByText('It is not a complete API key secret.').waitFor()
    await page.getByLabel('Search').fill(secret.replace('emp_', 'ems_'))
    await page.getByLabel('Search').fill(secret.slice(0, 50))
    const { secret: ofWebhook } = await webhooksAs(accounts.acme.call).create({ events: ['API_KEY_REVOKED'] })
    await paste(page, 'Search', ofWebhook)
    await page.getByLabel('Search').fill(ofWebhook)
    await page.waitForLoadState('networkidle')
    const asked = addresses.filter((address) => [secret.slice(4, 24), 'whsec'].some((part) => address.includes(part)))
    expect(asked).toEqual([])
  })
})

describe('a link that has a secret in it', () => {
  const at = (secret: string) => [
    `/$slug/users/api-keys?q=${secret}`,
    `/$slug/devices?search=for%20${secret}%20`,
    `/$slug/devices?tags=%5B%22${secret}%22%5D`,
    `/$slug/devices?unknown=${secret.replace('_', '%5F')}`,
    `/$slug/api/reference?search=${secret}#${secret}`,
    `/$slug/devices/${secret}`,
    `/$slug/devices?search=${secret.replace(/.{4}/g, '$&%E2%80%8B+')}`,
    `/sign-in?next=%2F$slug%2Fdevices%3Fsearch%3D${secret}`,
  ]

  it('loses it at once', async ({ portal, ada, accounts }) => {
    const { secret } = await accounts.acme.generateKey({ label: 'linked' })
    const page = await portal.signIn(ada, { path: '/sign-in' })
    for (const path of at(secret)) {
      await page.goto(accounts.pathOf(path), { waitUntil: 'commit' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await stored(page), path).not.toContain(secret.slice(4, 24))
    }
  })
})
