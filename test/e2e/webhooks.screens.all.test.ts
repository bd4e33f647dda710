import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { SAMPLES } from '../../web/pages/webhooks/verify-samples.ts'
import { expectAccessible, heading, noSidewaysScroll, PHONE, press } from '../support/browser/portal-page.ts'
import { deliveriesOf, inWebhookPortal, webhooksPath } from '../support/browser/webhook-portal.ts'
import type { Received } from '../support/world/webhook-receiver.ts'

const it = inWebhookPortal()

const secretOf = (page: Page) => page.getByRole('textbox', { name: 'Secret' }).inputValue()
const addDialog = (page: Page) => page.getByRole('dialog', { name: 'Add webhook' })
const focused = (page: Page) => page.evaluate('document.activeElement?.textContent')

describe('the webhooks of an organization', () => {
  it('are added from Settings; the secret is shown once, and the sample of the page accepts what arrives', async ({
    portal,
    ada,
    acme,
    receiver,
  }) => {
    const page = await portal.signIn(ada, { path: `/${acme.slug}/settings` })
    await page.getByText('No webhooks yet.').waitFor()
    await page.getByRole('link', { name: 'Add a webhook' }).click()
    await heading(page, 'Webhooks').waitFor()
    expect(await page.getByRole('link', { name: 'How webhooks work' }).getAttribute('href')).toBe('/docs/webhooks')
    await press(page, 'Add webhook')
    await addDialog(page).getByLabel('URL').fill(receiver.url)
    await addDialog(page).getByLabel('Description').fill('Chat of the night shift')
    await addDialog(page).getByRole('button', { name: 'Add webhook' }).click()

    const secret = await secretOf(page)
    expect(secret).toMatch(/^whsec_/)
    await page.keyboard.press('Escape')
    await press(page, 'I have stored it')
    await heading(page, 'Chat of the night shift').waitFor()
    expect(await page.content()).not.toContain(secret)

    await press(page, 'Send test event')
    await page.getByText('✓ Delivered: the receiver answered with status 204.').waitFor()
    await deliveriesOf(page, 'test').getByText('Status 204 · 1 attempt').waitFor()
    expect(await accepts(secret, receiver.received)).toEqual([true])

    await page.getByRole('link', { name: 'All webhooks' }).click()
    const row = page.getByRole('row').filter({ hasText: receiver.url })
    await row.getByText('Active').waitFor()
    await row.getByText(/^Delivered/).waitFor()
    await page.getByRole('link', { name: 'Settings' }).last().click()
    await page.getByText('1 webhook.').waitFor()
  })

  it('are told of the events that were chosen, and of no others', async ({ portal, ada, acme, receiver, webhooks }) => {
    const page = await portal.signIn(ada, { path: webhooksPath(acme) })
    await press(page, 'Add webhook')
    const dialog = addDialog(page)
    await dialog.getByLabel('URL').fill(receiver.url)
    await dialog.getByLabel('Only these events').check()
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await dialog.getByText('At least one.').waitFor()
    await dialog.getByRole('checkbox', { name: 'Devices', exact: true }).check()
    await dialog.getByRole('checkbox', { name: /^Device updated/ }).uncheck()
    await dialog.getByRole('checkbox', { name: /^Key revoked/ }).check()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await secretOf(page)
    await press(page, 'I have stored it')
    await page.getByText('Key revoked, Device added, Device deleted and 2 more').waitFor()
    const [webhook] = await webhooks.list()
    expect(webhook?.events.toSorted()).toEqual([
      'API_KEY_REVOKED',
      'DEVICE_CREATED',
      'DEVICE_DELETED',
      'DEVICE_OFFLINE',
      'DEVICE_ONLINE',
    ])

    await acme.call('mutation { inviteUser(email: "cy@example.com", role: MEMBER) { id } }')
    await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')
    await deliveriesOf(page, 'device.created').getByText('Delivered').waitFor()
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['device.created'])
    await deliveriesOf(page, 'device.created').getByText('Delivered').click()
    expect(await page.getByLabel('Payload', { exact: true }).inputValue()).toContain('"name": "press-7"')
  })

  it('refuses a private address at its field, and keeps what was typed', async ({ portal, ada, acme, webhooks }) => {
    const page = await portal.signIn(ada, { path: webhooksPath(acme) })
    await press(page, 'Add webhook')
    const url = addDialog(page).getByLabel('URL')
    await addDialog(page).getByRole('button', { name: 'Add webhook' }).click()
    await addDialog(page).getByText('This field is required.').waitFor()
    for (const [given, message] of [
      ['http://10.0.0.1/in', 'This address is private or reserved.'],
      ['ftp://example.com', 'An address such as https://example.com'],
    ] as const) {
      await url.fill(given)
      await addDialog(page).getByRole('button', { name: 'Add webhook' }).click()
      await addDialog(page).getByText(message).waitFor()
      expect([await url.inputValue(), await url.getAttribute('aria-invalid')]).toEqual([given, 'true'])
    }
    expect(await webhooks.list()).toEqual([])
  })

  it('one whose secret was lost on the way is in the list, and the dialog says what to do', async ({
    portal,
    acme,
    ada,
    receiver,
    webhooks,
  }) => {
    const page = await portal.signIn(ada, { path: webhooksPath(acme), mayComplain: /net::ERR_/ })
    await press(page, 'Add webhook')
    await addDialog(page).getByLabel('URL').fill(receiver.url)
    await page.route('**/portal/graphql', async (route) => {
      if (!route.request().postData()?.includes('mutation CreateWebhook')) return route.fallback()
      await route.fetch()
      await route.abort()
    })
    await addDialog(page).getByRole('button', { name: 'Add webhook' }).click()
    await addDialog(page).getByText('If the list has the new webhook, rotate its secret to get one.').waitFor()
    expect(await webhooks.list()).toHaveLength(1)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: receiver.url }).waitFor()
    await expect.poll(() => focused(page)).toBe('Add webhook')
  })

  it('are sorted at the head of a column, which is in the address', async ({
    portal,
    ada,
    acme,
    receiver,
    webhooks,
  }) => {
    const { webhook } = await webhooks.create({ url: `${receiver.url}/b` })
    await webhooks.update(webhook.id, { enabled: false })
    await webhooks.create({ url: `${receiver.url}/c` })
    await webhooks.create({ url: `${receiver.url}/a` })
    const page = await portal.signIn(ada, { path: webhooksPath(acme) })
    const sortBy = (name: string) => page.getByRole('columnheader', { name }).getByRole('button').click()
    const shows = (names: string) =>
      expect
        .poll(async () =>
          (await page.getByRole('rowheader').getByRole('link').allTextContents()).map((url) => url.at(-1)).join(''),
        )
        .toBe(names)
    await shows('acb')
    await sortBy('URL')
    await shows('abc')
    expect(await page.getByRole('columnheader', { name: 'URL' }).getAttribute('aria-sort')).toBe('ascending')
    await sortBy('URL')
    await shows('cba')
    await page.getByRole('columnheader', { name: 'Status' }).getByRole('button').focus()
    await page.keyboard.press('Enter')
    await shows('acb')
    expect(new URL(page.url()).search).toBe('?sort=status')
    await page.reload()
    await sortBy('Status')
    await shows('bca')
    await expectAccessible(page)
    await page.goBack()
    await page.goBack()
    await shows('cba')
  })

  it('a personal account has them too', async ({ portal, ada, receiver }) => {
    const page = await portal.signIn(ada, { path: webhooksPath({ slug: ada.personalSlug }) })
    await press(page, 'Add webhook')
    await addDialog(page).getByLabel('URL').fill(receiver.url)
    await page.keyboard.press('Enter')
    await secretOf(page)
    await press(page, 'I have stored it')
    await heading(page, new URL(receiver.url).host).waitFor()
  })

  it('are edited, disabled, enabled and deleted, and the dialogs return the focus', async ({
    portal,
    ada,
    acme,
    receiver,
    webhooks,
  }) => {
    const { webhook } = await webhooks.create({ url: receiver.url })
    const page = await portal.signIn(ada, { path: `${webhooksPath(acme)}/${webhook.id}` })
    await press(page, 'Edit')
    await page.getByLabel('Description').fill('Stock')
    await page.getByLabel('All events').check()
    await page.keyboard.press('Enter')
    await heading(page, 'Stock').waitFor()
    await page.getByText('All events', { exact: true }).waitFor()
    await expect.poll(() => focused(page)).toBe('Edit')

    await press(page, 'Disable')
    await page.getByText('Stock is disabled.').waitFor()
    await page.getByText('Disabled', { exact: true }).waitFor()
    expect((await webhooks.find(webhook.id)).enabled).toBe(false)
    expect(await focused(page)).toBe('Enable')
    await page.keyboard.press('Enter')
    await page.getByText('Active', { exact: true }).waitFor()
    await expect.poll(() => focused(page)).toBe('Disable')

    await press(page, 'Delete')
    const dialog = page.getByRole('dialog', { name: 'Delete Stock?' })
    await expect.poll(() => focused(page)).toBe('Cancel')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    await expect.poll(() => focused(page)).toBe('Delete')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Delete webhook' }).click()
    await heading(page, 'Webhooks').waitFor()
    await page.getByText('No webhooks yet').waitFor()
    expect(await webhooks.list()).toEqual([])
  })

  it('the secret is rotated with an overlap: the page says until when both work, and deliveries have both signatures', async ({
    portal,
    ada,
    acme,
    receiver,
    webhooks,
  }) => {
    const { webhook, secret: old } = await webhooks.create({ url: receiver.url })
    const page = await portal.signIn(ada, { path: `${webhooksPath(acme)}/${webhook.id}` })
    await press(page, 'Rotate secret')
    await page.getByLabel('Expiration of the old secret').selectOption('In 1 hour')
    await page.getByText(/^Until .*, deliveries are signed with the old secret too: both work\.$/).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    const secret = await secretOf(page)
    expect(secret).not.toBe(old)
    await press(page, 'I have stored it')
    await page.getByRole('note').getByText('both work').waitFor()
    await press(page, 'Send test event')
    await page.getByText('✓ Delivered').waitFor()
    expect([await accepts(old, receiver.received), await accepts(secret, receiver.received)]).toEqual([[true], [true]])
  })

  it('are for Admins: a Member has no such section, and the page says so', async ({ portal, acme, bob, webhooks }) => {
    const { webhook } = await webhooks.create()
    const page = await portal.signIn(bob, { path: `/${acme.slug}/settings` })
    await page.getByText('Only Admins can change this').waitFor()
    expect(await page.getByRole('heading', { name: 'Webhooks' }).count()).toBe(0)
    for (const path of [webhooksPath(acme), `${webhooksPath(acme)}/${webhook.id}`]) {
      await page.goto(path)
      await page.getByText('This page is for Admins').waitFor()
      expect(await page.content()).not.toContain('hooks.example')
    }
  })

  it('one that does not exist, or belongs to others, is not found', async ({ portal, ada, acme, webhooks }) => {
    await webhooks.create()
    const page = await portal.signIn(ada, { path: `${webhooksPath(acme)}/0198c0de-0000-7000-8000-000000000000` })
    await heading(page, 'Not found').waitFor()
  })

  it('list, page and dialogs are accessible, and fit a phone', async ({ portal, ada, acme, webhooks }) => {
    const long = `https://hooks.example/${'a-long-path/'.repeat(12)}`
    const { webhook } = await webhooks.create({ url: long, description: 'x'.repeat(200) })
    await webhooks.create()
    const page = await portal.signIn(ada, { path: webhooksPath(acme) })
    await page.getByRole('row').nth(2).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScroll(page)
    await press(page, 'Add webhook')
    await addDialog(page).waitFor()
    await expectAccessible(page)
    await page.goto(`${webhooksPath(acme)}/${webhook.id}`)
    await page.getByText('Nothing was sent yet.').waitFor()
    await expectAccessible(page)
    await press(page, 'Rotate secret')
    await page.getByRole('dialog').waitFor()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('textbox', { name: 'Secret' }).waitFor()
    await expectAccessible(page)
  })

  /** Whether the sample of the page, in a receiver that has this secret, accepts each request. */
  async function accepts(secret: string, received: readonly Received[]): Promise<boolean[]> {
    const code = SAMPLES.Node.replace('process.env.WEBHOOK_SECRET', JSON.stringify(secret))
    const { isSigned } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    return received.map(({ headers, body }) => isSigned(headers, body))
  }
})
