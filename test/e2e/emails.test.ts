import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notifyExpiringKeys } from '../../server/api-keys/expiry/notifications.ts'
import { queueMail } from '../../server/mail/mail.ts'
import { linkIn, openMailPortal } from '../support/mail-portal.ts'
import { expectAccessible, openPortal, type Portal } from '../support/portal-page.ts'
import type { Person, TestOrganization } from '../support/world.ts'

const DAY_MS = 86_400_000

const section = (page: Page) => page.getByRole('region', { name: 'Emails' })
const emails = (page: Page) => page.getByRole('list', { name: 'Emails' }).getByRole('listitem')
const email = (page: Page, words: string) => emails(page).filter({ hasText: words })

const settingsOf = async (portal: Portal, person: Person, { slug }: TestOrganization) => {
  const page = await portal.signIn(person, { path: `/${slug}/settings` })
  await section(page).waitFor()
  return page
}

describe('emails, if the portal sends no email', () => {
  let portal: Portal
  let ada: Person
  beforeAll(async () => {
    portal = await openPortal()
    ada = await portal.world.signUp('Ada')
  })
  afterAll(() => portal.close())

  it('are empty at first, with an explanation', async () => {
    const page = await settingsOf(portal, ada, await portal.world.organization('Empty', { admin: ada }))
    await section(page).getByText('No emails yet.').waitFor()
    await section(page).getByText('warnings about keys that expire soon').waitFor()
  })

  it('store the notification of a key that expires soon, say why, and show its text', async () => {
    const acme = await portal.world.organization('Acme', { admin: ada })
    const end = new Date(Date.now() + 6 * DAY_MS).toISOString()
    const { id } = await portal.world.generateKey(ada, acme, { label: 'nightly-export', expiresAt: end })
    await portal.world.database.transaction((db) =>
      db
        .updateTable('apiKey')
        .set({ createdAt: Date.now() - 60 * DAY_MS })
        .where('id', '=', id)
        .execute(),
    )
    await notifyExpiringKeys(portal.world.database, Date.now(), portal.world.url)

    const page = await settingsOf(portal, ada, acme)
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

  it('show older emails in pages', async () => {
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
    const page = await settingsOf(portal, ada, many)
    await expect.poll(() => emails(page).count()).toBe(20)
    await email(page, 'Email 24').getByText('not sent: too old').waitFor()
    await page.getByRole('button', { name: 'Show older emails' }).click()
    await expect.poll(() => emails(page).count()).toBe(25)
    expect(await page.getByRole('button', { name: 'Show older emails' }).count()).toBe(0)
    await expectAccessible(page)
  })
})

describe('emails, if the portal sends email', () => {
  let portal: Awaited<ReturnType<typeof openMailPortal>>
  let ada: Person
  let acme: TestOrganization
  beforeAll(async () => {
    portal = await openMailPortal()
    ada = await portal.world.signUp('Ada')
    acme = await portal.world.organization('Acme', { admin: ada })
  })
  afterAll(() => portal.close())

  const invite = (email: string) =>
    ada.call(
      'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }',
      { input: { email, role: 'MEMBER' } },
      acme.slug,
    )

  it('show that an invitation was sent, and never its link', async () => {
    await invite('bob@example.com')
    await expect.poll(() => portal.smtp.received.length, { timeout: 15_000 }).toBe(1)
    const page = await settingsOf(portal, ada, acme)
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

  it('show the error of an email that the mail server refuses, until it accepts it', async () => {
    portal.smtp.become('refuses the email')
    await invite('cleo@example.com')
    const page = await settingsOf(portal, ada, acme)
    const waiting = email(page, 'to cleo@example.com').first()
    await waiting.getByText('queued, will be retried').waitFor({ timeout: 20_000 })
    await waiting.locator('summary').click()
    await waiting.getByText('The last attempt failed:').waitFor()
    await expectAccessible(page)
    portal.smtp.become('takes')
    portal.wait(60_000) // the second try comes after 5 seconds, the third 30 seconds later
    await waiting.getByText(/sent .*(now|ago|in )/).waitFor()
  })
})
