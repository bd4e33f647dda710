import { describe, expect } from 'vitest'
import { email, section, settingsOf } from '../support/browser/emails-page.ts'
import { linkIn } from '../support/browser/mail-portal.ts'
import { inMailPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'
import { invited } from '../support/world/people.ts'

const it = inMailPortal()

describe('emails, if the portal sends email', () => {
  it('show that an invitation was sent, and never its link', async ({ portal, acme }) => {
    await invited(acme.call, { email: 'bob@example.com' })
    await expect.poll(() => portal.smtp.received.length, { timeout: 15_000 }).toBe(1)
    const page = await settingsOf(portal, acme)
    const sent = email(page, 'to bob@example.com')
    await sent.getByText(/sent .*(ago|now)/).waitFor({ timeout: 15_000 })
    await sent.locator('summary').click()
    await sent.getByText('Not shown: it contains a private link').waitFor()
    expect(await section(page).getByText('SMTP_URL').count()).toBe(0)
    const [received] = portal.smtp.received
    expect(linkIn(received ?? { text: '' })).toContain('/invitations#')
    expect(await page.content()).not.toContain(
      linkIn(received ?? { text: '' })
        .split('#')
        .at(-1),
    )
    await expectAccessible(page)
  })

  it('show the error of an email that the mail server refuses, until it accepts it', async ({ portal, acme }) => {
    portal.smtp.become('refuses the email')
    await invited(acme.call, { email: 'cleo@example.com' })
    const page = await settingsOf(portal, acme)
    const waiting = email(page, 'to cleo@example.com').first()
    await waiting.getByText('queued, will be retried').waitFor({ timeout: 20_000 })
    await waiting.locator('summary').click()
    await waiting.getByText('The last attempt failed:').waitFor()
    await expectAccessible(page)
    portal.smtp.become('takes')
    portal.wait(10 * 60_000) // attempts come after 5 seconds, 30 seconds and 2 minutes, however long it took until here
    await waiting.getByText(/sent .*(now|ago|in )/).waitFor()
  })
})
