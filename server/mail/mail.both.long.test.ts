import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { type MailWorld, startMailWorld } from '../../test/support/world/mail-world.ts'
import { codesOf, fieldOf, invited } from '../../test/support/world/people.ts'
import { startWorld, type TestOrganization } from '../../test/support/world/world.ts'
import { DAY } from '../lib/clock.ts'
import { type NewEmail, queueMail } from './mail.ts'

interface Listed {
  to: string
  subject: string
  text: string | null
  state: string
  sentAt: string | null
  lastError: string | null
}

interface Emails {
  data: Listed[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
  totalCount: number
}

const OUTBOX = `query ($first: Int, $after: String) { emails(first: $first, after: $after) {
  data { to subject text state sentAt lastError } pageInfo { hasNextPage endCursor } totalCount } }`

const it = inWorld(startMailWorld)

const email = (world: MailWorld, organizationId: string, recipient: string): NewEmail => ({
  organizationId,
  kind: 'KEY_EXPIRY',
  recipient,
  subject: 'A key ends',
  text: 'Soon.',
  usefulUntil: world.clock.now() + DAY,
})

const emails = async (acme: TestOrganization, args: object = {}, slug = acme.slug) =>
  fieldOf<Emails>(await acme.admin.call(OUTBOX, args, slug))

it('emails shows what was sent, and what is queued and why', async ({ world, acme }) => {
  const at = world.clock.now()
  const queue = (recipient: string) =>
    world.database.transaction((db) => queueMail(db, world.clock.now(), [email(world, acme.id, recipient)]))
  await queue('sent@example.com')
  await world.emailWorker.deliver()
  world.smtp.become('refuses the recipient')
  await queue('refused@example.com')
  await world.emailWorker.deliver()
  const { data } = await emails(acme)
  const plain = { subject: 'A key ends', text: 'Soon.' }
  expect(data).toEqual([
    {
      ...plain,
      to: 'refused@example.com',
      state: 'QUEUED',
      sentAt: null,
      lastError: 'The mail server refuses the email with 550.',
    },
    { ...plain, to: 'sent@example.com', state: 'SENT', sentAt: new Date(at).toISOString(), lastError: null },
  ])
  world.smtp.become('takes')
})

it('an email with a link is listed without its text', async ({ acme }) => {
  await invited((query, variables) => acme.call(query, variables), { email: 'lin@example.com' })
  const { data } = await emails(acme, { first: 1 })
  expect(data).toMatchObject([{ to: 'lin@example.com', subject: 'Invitation to Acme', text: null, state: 'QUEUED' }])
})

it('lists pages, the newest first, and A3: nothing of another organization', async ({ world, ada, acme }) => {
  const other = await world.organization('Other', { admin: ada })
  const addresses = ['a@example.com', 'b@example.com', 'c@example.com']
  await world.database.transaction((db) =>
    queueMail(
      db,
      world.clock.now(),
      addresses.map((to) => email(world, other.id, to)),
    ),
  )
  const first = await emails(acme, { first: 2 }, other.slug)
  expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } })
  const second = await emails(acme, { first: 2, after: first.pageInfo.endCursor }, other.slug)
  expect(second.pageInfo.hasNextPage).toBe(false)
  expect([...first.data, ...second.data].map(({ to }) => to)).toEqual(addresses.toReversed())
  expect((await emails(acme)).data.map(({ to }) => to)).not.toEqual(expect.arrayContaining(addresses))
})

it('an email without an organization is in no list', async ({ world, ada, acme }) => {
  await world.post('/auth/forgot-password', { email: ada.email })
  await expect.poll(() => world.emailsTo(ada.email)).toHaveLength(1)
  for (const slug of [acme.slug, ada.personalSlug]) {
    expect((await emails(acme, {}, slug)).data.filter(({ to }) => to === ada.email)).toEqual([])
  }
})

it('a page that is too large is refused', async ({ acme }) => {
  expect(codesOf(await acme.call(OUTBOX, { first: 501 }))).toEqual(['BAD_USER_INPUT'])
})

it('without a mail server emails are stored, and none with a link is queued', async ({ world }) => {
  const plain = await startWorld()
  const eve = await plain.signUp('Eve')
  const home = await plain.organization('Home', { admin: eve })
  const call = (query: string, variables?: object) => eve.call(query, variables, home.slug)
  await invited(call, { email: 'lin@example.com' })
  await plain.database.transaction((db) => queueMail(db, plain.clock.now(), [email(world, home.id, 'eve@example.com')]))
  const { data } = fieldOf<Emails>(await call(OUTBOX))
  expect(data).toMatchObject([{ to: 'eve@example.com', state: 'STORED', text: 'Soon.', lastError: null }])
  await plain.close()
})

it('an email that could not be sent in time is shown as expired', async ({ world, acme }) => {
  const { call } = world.asKey((await acme.generateKey()).secret)
  world.clock.advance(3 * DAY)
  const { data } = fieldOf<Emails>(await call(OUTBOX))
  expect(data.find(({ to }) => to === 'refused@example.com')).toMatchObject({ state: 'EXPIRED', sentAt: null })
})
