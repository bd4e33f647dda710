import { describe, expect } from 'vitest'
import { expectAccessible, noSidewaysScroll, PHONE, press } from '../support/browser/portal-page.ts'
import { deliveriesOf, inWebhookPortal, webhooksPath } from '../support/browser/webhook-portal.ts'

const it = inWebhookPortal()
  .extend('webhook', async ({ webhooks, receiver }) => (await webhooks.create({ url: receiver.url })).webhook)
  .extend('page', ({ portal, ada, acme, webhook }) =>
    portal.signIn(ada, { path: `${webhooksPath(acme)}/${webhook.id}` }),
  )

describe('the log of deliveries', () => {
  it('a test that fails says why in place', async ({ page, receiver }) => {
    receiver.answerStatus(500)
    await press(page, 'Send test event')
    await page
      .getByRole('status')
      .getByText(/^Not delivered\. The receiver answered with the status 500/)
      .waitFor()
    const row = deliveriesOf(page, 'test')
    await row.getByText('Failed').waitFor()
    await row.getByText('Status 500 · 1 attempt').waitFor()
    expect(await page.evaluate('document.activeElement.textContent'), 'the focus stays').toBe('Send test event')
  })

  it('a receiver that takes its time is waited for, in place and in the log', async ({ page, receiver }) => {
    const slow = Promise.withResolvers<void>()
    receiver.answerWith(async (_received, response) => {
      await slow.promise
      response.writeHead(202).end()
    })
    await press(page, 'Send test event')
    await deliveriesOf(page, 'test').getByText('Sending… · 1 attempt').waitFor()
    await page.getByRole('status').getByText('Sending…', { exact: true }).waitFor()
    slow.resolve()
    await page.getByText('✓ Delivered: the receiver answered with status 202.').waitFor()
    await deliveriesOf(page, 'test').getByText('Status 202 · 1 attempt').waitFor()
  })

  it('a receiver that is gone pauses the webhook: the page says why, Resume enables it, and what failed is sent again', async ({
    page,
    acme,
    receiver,
    webhook,
    webhooks,
  }) => {
    receiver.answerStatus(410)
    await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')
    const row = deliveriesOf(page, 'device.created')
    await row.getByText('Failed').waitFor()
    await page.getByText('This webhook is paused.').waitFor()
    await page.getByText('it is gone (410)').first().waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'All webhooks' }).click()
    await page.getByRole('row').getByText('Paused').waitFor()
    await page.getByRole('row').getByText('it is gone (410)').waitFor()
    await page.goBack()

    receiver.answerStatus(204)
    await press(page, 'Resume')
    await page.getByText('127.0.0.1').getByText('is resumed.').waitFor()
    await page.getByText('This webhook is paused.').waitFor({ state: 'hidden' })
    expect((await webhooks.find(webhook.id)).state).toBe('ACTIVE')
    await row.getByRole('button', { name: 'Redeliver device.created' }).click()
    await row.getByText('Delivered').waitFor()
    await row.getByText('Status 204 · 2 attempts').waitFor()
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([ids[0], ids[0]])
  })

  it('a delivery that is tried again says when; one of a disabled webhook says that it waits, and is not sent before', async ({
    page,
    acme,
    receiver,
  }) => {
    receiver.answerStatus(503, { 'retry-after': '3600' })
    await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')
    const row = deliveriesOf(page, 'device.created')
    await row.getByText(/Status 503 · 1 attempt · next attempt in (1 hour|59 minutes)/).waitFor()
    await page.getByText('Deliveries fail.').waitFor()
    await press(page, 'Disable')
    await row.getByText('waits until the webhook is enabled').waitFor()
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Redeliver device.created' }).click()
    await page.getByText('Enable the webhook first').waitFor()
  })

  it('is filtered by state, in the address, and comes page by page', async ({ page, receiver, webhook, webhooks }) => {
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    const show = (state: string) => page.getByRole('radiogroup', { name: 'Which deliveries' }).getByText(state).click()
    const delivered = async () => (await webhooks.deliveries(webhook.id, 'DELIVERED')).length
    for (let sent = 1; sent <= 22; sent++) {
      await webhooks.test(webhook.id)
      await expect.poll(delivered).toBe(sent) // no more than some may be on their way
    }
    receiver.answerStatus(500)
    await press(page, 'Send test event')
    await page.getByText('Not delivered.').waitFor()

    await show('Delivered')
    await expect.poll(() => rows.filter({ hasText: 'Failed' }).count()).toBe(0)
    await expect.poll(() => rows.count()).toBe(20)
    await press(page, 'Show older deliveries')
    await expect.poll(() => rows.count()).toBe(22)
    await show('Failed')
    await expect.poll(() => rows.count()).toBe(1)
    await page.reload()
    await expect.poll(() => rows.count()).toBe(1)
    await show('Pending')
    await page.getByText('No pending deliveries.').waitFor()
  })

  it('is opened by keyboard, is accessible, and fits a phone', async ({ page }) => {
    await press(page, 'Send test event')
    await deliveriesOf(page, 'test').getByText('Delivered').waitFor()
    await page.locator('summary').focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Payload', { exact: true }).waitFor()
    await expectAccessible(page)
    await page.setViewportSize(PHONE)
    await noSidewaysScroll(page)
  })
})
