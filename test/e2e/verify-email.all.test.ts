import { describe, expect } from 'vitest'
import { linkIn } from '../support/browser/mail-portal.ts'
import { inMailPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible, heading, noSidewaysScroll } from '../support/browser/portal-page.ts'
import { PASSWORD } from '../support/world/world.ts'

const it = inMailPortal()

describe('C14: verifying an email address', () => {
  it('is required before the first key, by a link that the profile can send again', async ({ world, portal }) => {
    const email = 'eve@example.com'
    const page = await portal.open({ path: '/sign-up' })
    await page.getByRole('textbox', { name: 'Name' }).fill('Eve')
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await heading(page, 'Overview').waitFor()
    await expect.poll(() => portal.emailsTo(email).length, { timeout: 15_000 }).toBe(1)
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
    await expect.poll(() => portal.emailsTo(email).length, { timeout: 15_000 }).toBe(2)

    await page.goto('/eve/profile/api-keys')
    const panel = page.getByRole('dialog', { name: 'API Keys' })
    await panel.getByText('Verify your email address to generate keys').waitFor()
    expect(await panel.getByRole('button', { name: 'Generate Key' }).count()).toBe(0)
    await expectAccessible(page)

    const [dead, link] = portal.emailsTo(email).map(linkIn)
    await page.goto(link ?? '')
    await heading(page, 'Verify your email address').waitFor()
    await expect.poll(() => page.url()).toBe(`${world.url}/verify-email`)
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
