import { describe, expect } from 'vitest'
import { notifyExpiringKeys } from '../../server/api-keys/expiry/notifications.ts'
import { queueMail } from '../../server/mail/mail.ts'
import { email, emails, section, settingsOf } from '../support/browser/emails-page.ts'
import { inPortal } from '../support/browser/portal-fixtures.ts'
import { expectAccessible } from '../support/browser/portal-page.ts'

const DAY_MS = 86_400_000

const it = inPortal()

describe('emails, if the portal sends no email', () => {
  it('are empty at first, with an explanation', async ({ portal, ada }) => {
    const page = await settingsOf(portal, await portal.world.organization('Empty', { admin: ada }))
    await section(page).getByText('No emails yet.').waitFor()
    await section(page).getByText('warnings about keys that expire soon').waitFor()
  })

  it('store the notification of a key that expires soon, say why, and show its text', async ({ portal, ada, acme }) => {
    const end = new Date(Date.now() + 6 * DAY_MS).toISOString()
    const { id } = await acme.generateKey({ label: 'nightly-export', expiresAt: end })
    await portal.world.database.transaction((db) =>
      db
        .updateTable('apiKey')
        .set({ createdAt: Date.now() - 60 * DAY_MS })
        .where('id', '=', id)
        .execute(),
    )
    await notifyExpiringKeys(portal.world.database, Date.now(), portal.world.url)

    const page = await settingsOf(portal, acme)
    await section(page).getByText('This portal does not send email').getByText('SMTP_URL').waitFor()
    const warning = email(page, 'nightly-export')
    await warning.getByText(`to ${ada.email}`).getByText('stored').waitFor()
    const words = warning.getByText('From then on they are refused')
    expect(await words.isVisible()).toBe(false)
    await warning.locator('summary').focus()
    await page.keyboard.press('Enter')
    await words.waitFor()
    await expectAccessible(page)
  })

  it('show older emails in pages', async ({ portal, ada }) => {
    const many = await portal.world.organization('Many', { admin: ada })
    await portal.world.database.transaction((db) =>
      queueMail(
        db,
        Date.now(),
        Array.from({ length: 25 }, (_, i) => ({
          organizationId: many.id,
          kind: 'KEY_EXPIRY',
          recipient: `${'x'.repeat(60)}@example.com`,
          subject: `Email ${i} ${'x'.repeat(100)}`,
          text: 'words',
          usefulUntil: i === 24 ? Date.now() - 1 : Date.now() + DAY_MS,
        })),
      ),
    )
    const page = await settingsOf(portal, many)
    await expect.poll(() => emails(page).count()).toBe(20)
    await email(page, 'Email 24').getByText('not sent: too old').waitFor()
    await page.getByRole('button', { name: 'Show older emails' }).click()
    await expect.poll(() => emails(page).count()).toBe(25)
    expect(await page.getByRole('button', { name: 'Show older emails' }).count()).toBe(0)
    await expectAccessible(page)
  })
})
