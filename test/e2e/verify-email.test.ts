import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { linkIn, openMailPortal } from '../support/mail-portal.ts'
import { expectAccessible, noSidewaysScroll } from '../support/portal-page.ts'
import { PASSWORD } from '../support/world.ts'

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

describe('C14: verifying an email address', () => {
  let portal: Awaited<ReturnType<typeof openMailPortal>>
  beforeAll(async () => {
    portal = await openMailPortal()
  })
  afterAll(() => portal.close())

  const emailsTo = (address: string) => portal.smtp.received.filter(({ to }) => to.includes(address))

  it('is required before the first key, by a link that the profile can send again', async () => {
    const email = 'eve@example.com'
    const page = await portal.open({ path: '/sign-up' })
    await page.getByRole('textbox', { name: 'Name' }).fill('Eve')
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await heading(page, 'Devices').waitFor()
    await expect.poll(() => emailsTo(email).length, { timeout: 15_000 }).toBe(1)
    await page.request.post('/portal/graphql', {
      data: { query: 'mutation { setApiKeysEnabled(enabled: true) { id } }' },
    })

    await page.goto('/eve/profile')
    await heading(page, 'Profile').waitFor()
    await page.getByText('Verify your email address to generate keys').waitFor()
    await page.getByText('Not verified yet').waitFor()
    await expectAccessible(page)
    await noSidewaysScroll(page)
    await page.getByRole('button', { name: 'Send the email again' }).click()
    await page.getByText(`Email sent to ${email}.`).waitFor()
    await expect.poll(() => emailsTo(email).length, { timeout: 15_000 }).toBe(2)

    await page.goto('/eve/profile/api-keys')
    const panel = page.getByRole('dialog', { name: 'API Keys' })
    await panel.getByText('Verify your email address to generate keys').waitFor()
    expect(await panel.getByRole('button', { name: 'Generate Key' }).count()).toBe(0)
    await expectAccessible(page)

    const [dead, link] = emailsTo(email).map(linkIn)
    await page.goto(link ?? '')
    await heading(page, 'Verify your email address').waitFor()
    await expect.poll(() => page.url()).toBe(`${portal.world.url}/verify-email`)
    await expectAccessible(page)
    await noSidewaysScroll(page)
    await page.getByRole('button', { name: 'Verify' }).click()
    await heading(page, 'Your email address is verified').waitFor()
    await page.goto('/eve/profile/api-keys')
    await panel.getByRole('button', { name: 'Generate Key' }).click()
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor()

    await page.goto(dead ?? '')
    await page.getByRole('button', { name: 'Verify' }).click()
    await heading(page, 'This link has expired').waitFor()
    await expectAccessible(page)
  })
})
