import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { BASE_URL, type MailWorld, startMailWorld, tokenIn } from '../../test/support/world/mail-world.ts'
import { codesOf, fieldOf, invited, peopleAs } from '../../test/support/world/people.ts'
import { PASSWORD, type TestOrganization } from '../../test/support/world/world.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { queueMail } from '../mail/mail.ts'

const it = inOwnWorld(startMailWorld)

it('an invitation is sent by email, and its link works and is in no database', async ({ world, ada, acme }) => {
  const { link, token } = await invited(acme.call, { email: 'lin@example.com', role: 'ADMIN' })
  const queued = await world.storage.dump()
  const [email] = await world.emailsTo('lin@example.com')
  expect(email).toMatchObject({ subject: 'Invitation to Acme' })
  expect(email?.text).toContain(`Ada (${ada.email}) invites you to Acme in the Edge Management Portal, as an Admin.`)
  expect(email?.text).toContain(`\n${BASE_URL}/invitations#${token}\n`)
  expect([tokenIn(email?.text), link]).toEqual([token, `${BASE_URL}/invitations#${token}`])
  for (const dump of [queued, await world.storage.dump()]) expect(dump).not.toContain(token)

  const body = { token: tokenIn(email?.text), name: 'Lin', password: PASSWORD }
  expect((await world.post('/auth/accept-invitation', body)).status).toBe(200)
  expect((await world.post('/auth/accept-invitation', body)).status).toBe(404)
})

it('K6: an invitation by a key is sent too, without a name', async ({ world, acme }) => {
  const { call } = world.asKey((await acme.generateKey()).secret)
  await invited(call, { email: 'lin@example.com' })
  const [email] = await world.emailsTo('lin@example.com')
  expect(email?.text).toMatch(/^You are invited to Acme in the Edge Management Portal, as a Member\.$/m)
})

it('a refused invitation sends no email', async ({ world, ada, acme }) => {
  await acme.call('mutation ($email: String!) { inviteUser(input: { email: $email }) { link } }', { email: ada.email })
  await ada.call('mutation { inviteUser(input: { email: "lin@example.com" }) { link } }')
  await world.emailWorker.deliver()
  expect(world.smtp.received).toEqual([])
})

it('an address gets 3 emails of an organization in an hour; links are still created', async ({ world, acme }) => {
  for (let i = 0; i < 5; i++) {
    await invited(acme.call, { email: 'lin@example.com' })
    await world.emailWorker.deliver()
  }
  expect(await world.emailsTo('lin@example.com')).toHaveLength(3)
  const { token } = await invited(acme.call, { email: 'lin@example.com' })
  expect((await world.post('/auth/invitation', { token })).status).toBe(200)
  await invited(acme.call, { email: 'kim@example.com' })
  expect(await world.emailsTo('kim@example.com')).toHaveLength(1)
  world.clock.advance(HOUR + 1)
  await invited(acme.call, { email: 'lin@example.com' })
  expect(await world.emailsTo('lin@example.com')).toHaveLength(4)
})

it('an organization sends 50 in an hour, then it is told when to retry; another is not affected', async ({
  world,
  ada,
  acme,
}) => {
  for (let i = 0; i < 50; i++) await invited(acme.call, { email: `person-${i}@example.com` })
  world.clock.advance(10 * MINUTE)
  const input = { email: 'person-50@example.com' }
  expect((await peopleAs(acme.call).invite(input)).errors).toMatchObject([
    { code: 'RATE_LIMITED', message: expect.stringContaining('try again in 50 minutes') },
  ])
  const other = await world.organization('Other', { admin: ada })
  await invited((query, variables) => other.call(query, variables), input)
  world.clock.advance(49 * MINUTE)
  expect((await peopleAs(acme.call).invite(input)).errors).toMatchObject([
    { message: 'This organization has sent 50 invitation emails in the last hour: try again in 1 minute.' },
  ])
  world.clock.advance(MINUTE + 1)
  await invited(acme.call, input)
})

it('C13: an Admin who raises an invitation of a key sends a new link, and the old one is void', async ({
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  const { token, user } = await invited(world.asKey(key.secret).call, { email: 'ivy@example.com' })
  const raise = 'mutation ($id: ID!) { changeUserRole(userId: $id, role: ADMIN) { role invited } }'
  expect((await acme.call(raise, { id: user.id })).data).toEqual({ changeUserRole: { role: 'ADMIN', invited: true } })
  await world.emailWorker.deliver()
  const links = world.smtp.received.filter(({ to }) => to.includes('ivy@example.com')).map(({ text }) => tokenIn(text))
  expect(links).toEqual([expect.not.stringMatching(token)])
  expect((await world.post('/auth/invitation', { token })).status).toBe(404)
  expect((await world.post('/auth/invitation', { token: links[0] })).body).toMatchObject({ role: 'ADMIN' })
})

it('C13: an email whose link is invalid is not sent: after a revoke of the key, a withdrawal or another invitation', async ({
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  await invited(world.asKey(key.secret).call, { email: 'lin@example.com' })
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
  const { user } = await invited(acme.call, { email: 'kim@example.com' })
  await acme.call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: user.id })
  await invited(acme.call, { email: 'sam@example.com' })
  const { token } = await invited(acme.call, { email: 'sam@example.com' })
  await world.emailWorker.deliver()
  expect(world.smtp.received.map(({ to, text }) => [to, tokenIn(text)])).toEqual([[['sam@example.com'], token]])
  const { data } = await acme.call('{ emails { data { to state } } }')
  expect(data).toEqual({
    emails: {
      data: [
        { to: 'sam@example.com', state: 'SENT' },
        { to: 'sam@example.com', state: 'EXPIRED' },
        { to: 'kim@example.com', state: 'EXPIRED' },
        { to: 'lin@example.com', state: 'EXPIRED' },
      ],
    },
  })
})

it('a person sends 100 in an hour, over all organizations, including by keys of those that they created', async ({
  world,
  ada,
  acme,
}) => {
  for (let i = 0; i < 100; i++) await causeMail(world, `acme-${i}`, ada.userId)
  expect(codesOf(await peopleAs(acme.call).invite({ email: 'lin@example.com' }))).toEqual(['RATE_LIMITED'])
  const byKey = world.asKey((await acme.generateKey()).secret).call
  expect(codesOf(await peopleAs(byKey).invite({ email: 'lin@example.com' }))).toEqual(['RATE_LIMITED'])
  const bob = await world.signUp('Bob')
  const bobs = await world.organization('Bobs', { admin: bob })
  await invited((query, variables) => bob.call(query, variables, bobs.slug), { email: 'lin@example.com' })
})

it('keys count against the creator of the organization only while that person is its Admin', async ({
  world,
  ada,
  acme,
}) => {
  const [key, bob] = [await acme.generateKey(), await world.signUp('Bob')]
  const byKey = world.asKey(key.secret).call
  const chargedFor = async (email: string) => {
    await invited(byKey, { email })
    const mails = world.database.read.selectFrom('email').select('causedById').where('recipient', '=', email)
    return (await mails.executeTakeFirstOrThrow()).causedById
  }
  await world.join(acme, bob, 'ADMIN') // by the first of the fifty
  expect(await chargedFor('one@example.com')).toBe(ada.userId)
  fieldOf(await peopleAs(byKey).changeRole(ada.userId, 'MEMBER'))
  expect(await chargedFor('two@example.com')).toBe(null)
  fieldOf(await peopleAs(byKey).remove(ada.userId))
  expect(await chargedFor('three@example.com')).toBe(null)
  for (let i = 0; i < 46; i++) await invited(byKey, { email: `person-${i}@example.com` })
  expect((await peopleAs(byKey).invite({ email: 'last@example.com' })).errors).toMatchObject([
    { code: 'RATE_LIMITED', message: expect.stringContaining('This organization has sent 50 invitation emails') },
  ])
})

it('a recipient gets 10 in an hour from everybody; the eleventh invitation has a link, and says that it was not sent', async ({
  world,
  acme,
}) => {
  for (let i = 0; i < 10; i++) await causeMail(world, 'lin', `somebody-${i}`)
  const { emailed, link } = fieldOf<{ emailed: boolean; link: string }>(await invite(acme, 'lin@example.com'))
  expect([emailed, link.startsWith(BASE_URL)]).toEqual([false, true])
  expect(fieldOf<{ emailed: boolean }>(await invite(acme, 'kim@example.com')).emailed).toBe(true)
})

const invite = (acme: TestOrganization, email: string) =>
  acme.call('mutation ($email: String!) { inviteUser(input: { email: $email }) { link emailed } }', { email })

/** An invitation that another organization has sent. */
const causeMail = (world: MailWorld, name: string, causedById: string) =>
  world.database.transaction((db) =>
    queueMail(db, world.clock.now(), [
      {
        organizationId: null,
        kind: 'INVITATION',
        recipient: `${name}@example.com`,
        subject: '',
        text: '',
        usefulUntil: 0,
        causedById,
      },
    ]),
  )
