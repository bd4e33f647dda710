import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BASE_URL, type MailWorld, startMailWorld, tokenIn } from '../../test/support/mail-world.ts'
import { type Call, codesOf, eventsOf, fieldOf, invited, peopleAs, refusalOf } from '../../test/support/people.ts'
import { PASSWORD, type Person, startWorld } from '../../test/support/world.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { hashSecret, mintSecret } from '../lib/secret.ts'
import { createPasswordReset } from './password-reset.ts'
import { revokeAllSessions } from './session.ts'

const GENERATE = 'mutation { generateApiKey { secret apiKey { id } } }'
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'
const SWITCH_ON = 'mutation { setApiKeysEnabled(enabled: true) { id } }'
const SUBJECT = 'Confirm your email address'
const NEW = 'quite another passphrase'

let world: MailWorld
let eve: Person
beforeEach(async () => {
  world = await startMailWorld()
  eve = await newcomer('eve@example.com')
  fieldOf(await eve.call(SWITCH_ON))
})
afterEach(() => world.close())

async function newcomer(email: string): Promise<Person> {
  return world.personOf('Eve', email, await world.post('/auth/sign-up', { email, name: 'Eve', password: PASSWORD }))
}

const emails = async (email = eve.email) =>
  (await world.emailsTo(email)).filter(({ subject }) => subject === SUBJECT).map(({ text }) => text)
const verify = (token: string) => world.post('/auth/verify-email', { token })
const again = (cookie = eve.cookie) => world.post('/auth/send-verification-email', {}, { cookie })
const isVerified = async (person = eve) =>
  fieldOf<{ emailVerified: boolean }>(await person.call('{ viewer { emailVerified } }')).emailVerified

describe('C14: where the portal sends email, a person whose address is not verified', () => {
  it('generates and rotates no key, and is told what to do; with the link from the email they do', async () => {
    const refused = await eve.call(GENERATE)
    expect(refused.errors).toMatchObject([
      { code: 'FORBIDDEN', message: 'Confirm your email address first: send yourself a link from your Profile page.' },
    ])
    const [text] = await emails()
    expect(text).toContain(`\n${BASE_URL}/verify-email#${tokenIn(text)}\n`)
    expect(await isVerified()).toBe(false)

    expect(await verify(tokenIn(text))).toMatchObject({ status: 200, body: { email: eve.email }, cookie: undefined })
    expect(await isVerified()).toBe(true)
    const { apiKey } = fieldOf<{ apiKey: { id: string } }>(await eve.call(GENERATE))
    expect(codesOf(await eve.call(ROTATE, { id: apiKey.id }))).toEqual([])
    expect(eventsOf(await peopleAs(eve.call).audit())).toContainEqual(
      expect.objectContaining({ action: 'user.email_verified', subject: eve.email }),
    )
  })

  it('generates none in another organization either, invited as an Admin: an invitation does not verify', async () => {
    const ada = await world.signUp('Ada')
    const acme = await world.organization('Acme', { admin: ada })
    const inAcme: Call = (query, variables) => ada.call(query, variables, acme.slug)
    const key = await world.generateKey(ada, acme)
    const { token } = await invited(inAcme, { email: 'lin@example.com', role: 'ADMIN' })
    const joined = await world.post('/auth/accept-invitation', { token, name: 'Lin', password: PASSWORD })
    const lin = await world.personOf('Lin', 'lin@example.com', joined)
    expect(codesOf(await lin.call(GENERATE, {}, acme.slug))).toEqual(['FORBIDDEN'])
    expect(codesOf(await lin.call(ROTATE, { id: key.id }, acme.slug))).toEqual(['FORBIDDEN'])
    expect(
      codesOf(await lin.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }, acme.slug)),
    ).toEqual([])

    await verify(tokenIn((await emails('lin@example.com'))[0]))
    expect(codesOf(await lin.call(GENERATE, {}, acme.slug))).toEqual([])
  })

  it('keeps the keys that are there, and a key generates keys for its organization', async () => {
    await verify(tokenIn((await emails())[0]))
    const { secret } = fieldOf<{ secret: string }>(await eve.call(GENERATE))
    await world.database.transaction((db) =>
      db.updateTable('user').set({ emailVerifiedAt: null }).where('id', '=', eve.userId).execute(),
    )
    expect(codesOf(await eve.call(GENERATE))).toEqual(['FORBIDDEN'])
    expect(codesOf(await world.asKey(secret).call(GENERATE))).toEqual([])
    const viewer = await world.asKey(secret).call('{ viewer { emailVerified } }')
    expect(viewer.data).toEqual({ viewer: { emailVerified: null } })
  })

  it('verifies by a password reset from the mailbox, not by a link that was made for them', async () => {
    const made = await createPasswordReset(world.database, world.clock.now(), eve.email)
    expect((await world.post('/auth/reset-password', { token: made?.token, password: NEW })).status).toBe(200)
    const before = await world.personOf(
      'Eve',
      eve.email,
      await world.post('/auth/sign-in', { email: eve.email, password: NEW }),
    )
    expect(await isVerified(before)).toBe(false)

    await world.post('/auth/forgot-password', { email: eve.email })
    const resets = async () => (await world.emailsTo(eve.email)).filter(({ text }) => text.includes('/reset-password#'))
    await expect.poll(async () => (await resets()).length).toBe(1)
    const token = tokenIn((await resets())[0]?.text)
    const reset = await world.post('/auth/reset-password', { token, password: PASSWORD })
    expect(await isVerified(await world.personOf('Eve', eve.email, reset))).toBe(true)
  })
})

it('C14: where the portal sends no email, nothing is asked for and nothing can be sent', async () => {
  const quiet = await startWorld()
  const ada = await quiet.signUp('Ada')
  fieldOf(await ada.call(SWITCH_ON))
  expect(codesOf(await ada.call(GENERATE))).toEqual([])
  const asked = await quiet.post('/auth/send-verification-email', {}, { cookie: ada.cookie })
  expect(refusalOf(asked)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  await quiet.close()
})

describe('the link that verifies an address', () => {
  it('works once, for 24 hours, and is in no database', async () => {
    const [text] = await emails()
    const token = tokenIn(text)
    expect(await world.storage.dump()).not.toContain(token)
    world.clock.advance(24 * HOUR)
    const unknown = refusalOf(await verify(mintSecret('emv_')))
    expect(unknown).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect([refusalOf(await verify(token)), refusalOf(await verify('nonsense'))]).toEqual([unknown, unknown])
    const { cookie } = await world.post('/auth/sign-in', { email: eve.email, password: PASSWORD })
    expect((await again(cookie)).status).toBe(200)
    const fresh = tokenIn((await emails())[1])
    expect([(await verify(fresh)).status, (await verify(fresh)).status]).toEqual([200, 404])
  })

  it('of an email that was sent again is the only one; 3 times, then once in 20 minutes', async () => {
    const first = tokenIn((await emails())[0])
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      statuses.push((await again()).status)
      await world.emailWorker.deliver()
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    expect(await emails()).toHaveLength(4)
    expect((await verify(first)).status).toBe(404)
    world.clock.advance(20 * MINUTE)
    expect((await again()).status).toBe(200)
  })

  it('is not sent again to whoever is verified, nor to nobody', async () => {
    await verify(tokenIn((await emails())[0]))
    expect((await again()).status).toBe(200)
    expect(await emails()).toHaveLength(1)
    await world.database.transaction((db) => revokeAllSessions(db, eve.userId))
    expect((await again()).status).toBe(401)
  })

  it('is stored as a hash only', async () => {
    const row = await world.database.read.selectFrom('emailVerification').selectAll().executeTakeFirstOrThrow()
    expect(Buffer.from(row.tokenHash)).toEqual(hashSecret(tokenIn((await emails())[0])))
  })
})
