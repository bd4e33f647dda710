import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { announceEnds } from '../../server/api-keys/ends-announced.ts'
import { queueMail } from '../../server/mail/mail.ts'
import { linkIn, openMailPortal } from '../support/mail-portal.ts'
import { expectAccessible, openPortal, type Portal } from '../support/portal-page.ts'
import type { Person, TestOrganization } from '../support/world.ts'

const DAY_MS = 86_400_000

const section = (page: Page) => page.getByRole('region', { name: 'Letters' })
const letters = (page: Page) => page.getByRole('list', { name: 'Letters' }).getByRole('listitem')
const letter = (page: Page, words: string) => letters(page).filter({ hasText: words })

const settingsOf = async (portal: Portal, person: Person, { slug }: TestOrganization) => {
  const page = await portal.signIn(person, { path: `/${slug}/settings` })
  await section(page).waitFor()
  return page
}

describe('the outbox, where the portal sends no mail', () => {
  let portal: Portal
  let ada: Person
  beforeAll(async () => {
    portal = await openPortal()
    ada = await portal.world.signUp('Ada')
  })
  afterAll(() => portal.close())

  it('is empty at first, and says what would be in it', async () => {
    const page = await settingsOf(portal, ada, await portal.world.organization('Empty', { admin: ada }))
    await section(page).getByText('No letters yet.').waitFor()
    await section(page).getByText('warnings of keys that end soon').waitFor()
  })

  it('keeps the warning of a key that ends soon, says why, and shows its words', async () => {
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
    await announceEnds(portal.world.database, Date.now(), portal.world.url)

    const page = await settingsOf(portal, ada, acme)
    await section(page).getByText('This portal sends no mail').getByText('SMTP_URL').waitFor()
    const warning = letter(page, 'nightly-export')
    await warning.getByText(`to ${ada.email}`).getByText('kept').waitFor()
    const words = warning.getByText('these API keys are refused')
    expect(await words.isVisible()).toBe(false)
    await warning.locator('summary').focus()
    await page.keyboard.press('Enter')
    await words.waitFor()
    await expectAccessible(page)
  })

  it('shows older letters page by page', async () => {
    const many = await portal.world.organization('Many', { admin: ada })
    await portal.world.database.transaction((db) =>
      queueMail(
        db,
        Date.now(),
        Array.from({ length: 25 }, (_, i) => ({
          organizationId: many.id,
          kind: 'KEY_ENDS',
          recipient: `${'x'.repeat(60)}@example.com`,
          subject: `Letter ${i} ${'x'.repeat(100)}`,
          text: 'words',
          usefulUntil: i === 24 ? Date.now() - 1 : Date.now() + DAY_MS,
        })),
      ),
    )
    const page = await settingsOf(portal, ada, many)
    await expect.poll(() => letters(page).count()).toBe(20)
    await letter(page, 'Letter 24').getByText('not sent: it is too old to be of use').waitFor()
    await page.getByRole('button', { name: 'Show older letters' }).click()
    await expect.poll(() => letters(page).count()).toBe(25)
    expect(await page.getByRole('button', { name: 'Show older letters' }).count()).toBe(0)
    await expectAccessible(page)
  })
})

describe('the outbox, where the portal sends mail', () => {
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

  it('tells that an invitation was sent, and never shows its link', async () => {
    await invite('bob@example.com')
    await expect.poll(() => portal.smtp.received.length, { timeout: 15_000 }).toBe(1)
    const page = await settingsOf(portal, ada, acme)
    const sent = letter(page, 'to bob@example.com')
    await sent.getByText(/sent .*(ago|now)/).waitFor({ timeout: 15_000 })
    await sent.locator('summary').click()
    await sent.getByText('It holds a link that is for its reader alone').waitFor()
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

  it('tells what went wrong with a letter that the mail server does not take, until it does', async () => {
    portal.smtp.become('refuses the letter')
    await invite('cleo@example.com')
    const page = await settingsOf(portal, ada, acme)
    const waiting = letter(page, 'to cleo@example.com').first()
    await waiting.getByText('will be tried again').waitFor({ timeout: 20_000 })
    await waiting.locator('summary').click()
    await waiting.getByText('The last try failed:').waitFor()
    await expectAccessible(page)
    portal.smtp.become('takes')
    portal.wait(60_000) // the second try comes after 5 seconds, the third 30 seconds later
    await waiting.getByText(/sent .*(now|ago|in )/).waitFor()
  })
})
