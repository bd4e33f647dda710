import { describe, expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { passLimitTime } from '../../test/support/world/limit-time.ts'
import { BASE_URL, type MailWorld, startMailWorld, tokenIn } from '../../test/support/world/mail-world.ts'
import { type Call, codesOf, eventsOf, fieldOf, invited, peopleAs, refusalOf } from '../../test/support/world/people.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { PASSWORD, type Person, startWorld } from '../../test/support/world/world.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { hashSecret, mintSecret } from '../secrets/secret.ts'
import { createPasswordReset } from './password-reset.ts'
import { revokeAllSessions } from './session.ts'

const GENERATE = 'mutation { generateApiKey { secret apiKey { id } } }'
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'
/** They send data to others, or look as if they were keys. */
const OTHERS = [
  'mutation { generateCanaryApiKey(label: "trap") { secret } }',
  'mutation { createWebhook(input: { url: "https://hooks.example", events: [DEVICE_CREATED] }) { secret } }',
  'mutation ($id: ID!) { updateWebhook(id: $id, input: { enabled: true }) { id } }',
]
const SWITCH_ON = 'mutation { setApiKeysEnabled(enabled: true) { id } }'
const SUBJECT = 'Verify your email address'
const NEW = 'quite another passphrase'

const it = inOwnWorld(startMailWorld).extend('eve', { auto: true }, async ({ world }) => {
  const eve = await newcomer(world, 'eve@example.com')
  fieldOf(await eve.call(SWITCH_ON))
  return eve
})

async function newcomer(world: MailWorld, email: string): Promise<Person> {
  return world.personOf('Eve', email, await world.post('/auth/sign-up', { email, name: 'Eve', password: PASSWORD }))
}

const emails = async (world: MailWorld, eve: Person, email = eve.email) =>
  (await world.emailsTo(email)).filter(({ subject }) => subject === SUBJECT).map(({ text }) => text)
const verify = (world: MailWorld, token: string) => world.post('/auth/verify-email', { token })
const again = (world: MailWorld, eve: Person, cookie = eve.cookie) =>
  world.post('/auth/send-verification-email', {}, { cookie })
const isVerified = async (eve: Person, person = eve) =>
  fieldOf<{ emailVerified: boolean }>(await person.call('{ viewer { emailVerified } }')).emailVerified

describe('C14: if the portal sends email, a person without a verified address', () => {
  it('cannot generate or rotate keys, with a message that says what to do, until they use the link of the email', async ({
    world,
    eve,
  }) => {
    const refused = await eve.call(GENERATE)
    expect(refused.errors).toMatchObject([
      { code: 'FORBIDDEN', message: 'Verify your email address first: send yourself a link from your Profile page.' },
    ])
    const [text] = await emails(world, eve)
    expect(text).toContain(`\n${BASE_URL}/verify-email#${tokenIn(text)}\n`)
    expect(await isVerified(eve)).toBe(false)

    expect(await verify(world, tokenIn(text))).toMatchObject({
      status: 200,
      body: { email: eve.email },
      cookie: undefined,
    })
    expect(await isVerified(eve)).toBe(true)
    const { apiKey } = fieldOf<{ apiKey: { id: string } }>(await eve.call(GENERATE))
    expect(codesOf(await eve.call(ROTATE, { id: apiKey.id }))).toEqual([])
    expect(eventsOf(await peopleAs(eve.call).audit())).toContainEqual(
      expect.objectContaining({ action: 'USER_EMAIL_VERIFIED', subject: eve.email }),
    )
  })

  it('cannot generate keys in another organization either, nor what else needs it, also as an invited Admin', async ({
    world,
    eve,
  }) => {
    const ada = await world.signUp('Ada')
    const acme = await world.organization('Acme', { admin: ada })
    const inAcme: Call = (query, variables) => acme.call(query, variables)
    const key = await acme.generateKey()
    const { token } = await invited(inAcme, { email: 'lin@example.com', role: 'ADMIN' })
    const joined = await world.post('/auth/accept-invitation', { token, name: 'Lin', password: PASSWORD })
    const lin = await world.personOf('Lin', 'lin@example.com', joined)
    expect(codesOf(await lin.call(GENERATE, {}, acme.slug))).toEqual(['FORBIDDEN'])
    expect(codesOf(await lin.call(ROTATE, { id: key.id }, acme.slug))).toEqual(['FORBIDDEN'])
    const { webhook } = await webhooksAs(acme.call).create()
    fieldOf(
      await acme.call('mutation ($id: ID!) { updateWebhook(id: $id, input: { enabled: false }) { id } }', webhook),
    )
    for (const other of OTHERS) expect(codesOf(await lin.call(other, webhook, acme.slug)), other).toEqual(['FORBIDDEN'])
    expect(
      codesOf(await lin.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }, acme.slug)),
    ).toEqual([])

    await verify(world, tokenIn((await emails(world, eve, 'lin@example.com'))[0]))
    expect(codesOf(await lin.call(GENERATE, {}, acme.slug))).toEqual([])
  })

  it('keeps existing keys, and a key generates keys for its organization', async ({ world, eve }) => {
    await verify(world, tokenIn((await emails(world, eve))[0]))
    const { secret } = fieldOf<{ secret: string }>(await eve.call(GENERATE))
    await world.database.transaction((db) =>
      db.updateTable('user').set({ emailVerifiedAt: null }).where('id', '=', eve.userId).execute(),
    )
    expect(codesOf(await eve.call(GENERATE))).toEqual(['FORBIDDEN'])
    expect(codesOf(await world.asKey(secret).call(GENERATE))).toEqual([])
    const viewer = await world.asKey(secret).call('{ viewer { emailVerified } }')
    expect(viewer.data).toEqual({ viewer: { emailVerified: null } })
  })

  it('verifies by a password reset from the mailbox, not by a link that was shown to somebody', async ({
    world,
    eve,
  }) => {
    const made = await createPasswordReset(world.database, world.clock.now(), eve.email)
    expect((await world.post('/auth/reset-password', { token: made?.token, password: NEW })).status).toBe(200)
    const before = await world.personOf(
      'Eve',
      eve.email,
      await world.post('/auth/sign-in', { email: eve.email, password: NEW }),
    )
    expect(await isVerified(eve, before)).toBe(false)

    await world.post('/auth/forgot-password', { email: eve.email })
    const resets = async () => (await world.emailsTo(eve.email)).filter(({ text }) => text.includes('/reset-password#'))
    await expect.poll(async () => (await resets()).length).toBe(1)
    const token = tokenIn((await resets())[0]?.text)
    const reset = await world.post('/auth/reset-password', { token, password: PASSWORD })
    expect(await isVerified(eve, await world.personOf('Eve', eve.email, reset))).toBe(true)
  })
})

it('C14: if the portal sends no email, no verification is required and none can be sent', async () => {
  const quiet = await startWorld()
  const ada = await quiet.signUp('Ada')
  fieldOf(await ada.call(SWITCH_ON))
  expect(codesOf(await ada.call(GENERATE))).toEqual([])
  const asked = await quiet.post('/auth/send-verification-email', {}, { cookie: ada.cookie })
  expect(refusalOf(asked)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  await quiet.close()
})

describe('the link that verifies an address', () => {
  it('works once, for 24 hours, and is in no database', async ({ world, eve }) => {
    const [text] = await emails(world, eve)
    const token = tokenIn(text)
    expect(await world.storage.dump()).not.toContain(token)
    world.clock.advance(24 * HOUR)
    const unknown = refusalOf(await verify(world, mintSecret('emv_')))
    expect(unknown).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect([refusalOf(await verify(world, token)), refusalOf(await verify(world, 'nonsense'))]).toEqual([
      unknown,
      unknown,
    ])
    const { cookie } = await world.post('/auth/sign-in', { email: eve.email, password: PASSWORD })
    expect((await again(world, eve, cookie)).status).toBe(200)
    const fresh = tokenIn((await emails(world, eve))[1])
    expect([(await verify(world, fresh)).status, (await verify(world, fresh)).status]).toEqual([200, 404])
  })

  it('replaces the earlier one when sent again; 3 times, then once in 20 minutes', async ({ world, eve }) => {
    const first = tokenIn((await emails(world, eve))[0])
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      statuses.push((await again(world, eve)).status)
      await world.emailWorker.deliver()
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    expect(await emails(world, eve)).toHaveLength(4)
    expect((await verify(world, first)).status).toBe(404)
    passLimitTime(20 * MINUTE)
    expect((await again(world, eve)).status).toBe(200)
  })

  it('is not sent to a verified person, or without a session', async ({ world, eve }) => {
    await verify(world, tokenIn((await emails(world, eve))[0]))
    expect((await again(world, eve)).status).toBe(200)
    expect(await emails(world, eve)).toHaveLength(1)
    await world.database.transaction((db) => revokeAllSessions(db, eve.userId))
    expect((await again(world, eve)).status).toBe(401)
  })

  it('is stored as a hash only', async ({ world, eve }) => {
    const row = await world.database.read.selectFrom('emailVerification').selectAll().executeTakeFirstOrThrow()
    expect(Buffer.from(row.tokenHash)).toEqual(hashSecret(tokenIn((await emails(world, eve))[0])))
  })
})
