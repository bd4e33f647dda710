import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type HeldCall, holdBack } from '../../test/support/held-call.ts'
import { fieldOf } from '../../test/support/people.ts'
import { policyOfAdmin } from '../../test/support/policy.ts'
import {
  PASSWORD,
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../test/support/world.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'

const READ = '{ devices { data { id name } } }'
const CREATE = 'mutation { createDevice(input: { name: "late" }) { id } }'

let world: World
let ada: Person
let acme: TestOrganization
let key: TestKey

beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  ada = await world.signUp('Ada')
  acme = await world.organization('Acme', { admin: ada })
  key = await world.generateKey(ada, acme)
})
afterAll(() => world.close())

const asAda = (query: string) => ada.call(query, {}, acme.slug)
const held = (query: string, headers = {}, sent = 0) =>
  holdBack(world.url, { headers: { 'api-secret': key.secret, ...headers }, body: { query }, sent })

async function endingOf(call: HeldCall) {
  const { status, codes } = await call.finish()
  return [status, ...codes]
}

describe('C12: a key whose body is held back is judged as it is when the body has come', () => {
  it.each([
    ['read', READ, 0],
    ['read, half of it sent', READ, 20],
    ['write', CREATE, 0],
  ])('revoked: %s', async (_what, query, sent) => {
    const call = await held(query, {}, sent)
    fieldOf(await asAda(`mutation { revokeApiKey(id: "${key.id}") { ids } }`))
    expect(await endingOf(call)).toEqual([401, 'API_KEY_INVALID'])
  })

  it('expired', async () => {
    const end = new Date(world.clock.now() + DAY).toISOString()
    key = await world.generateKey(ada, acme, { label: 'ends', expiresAt: end })
    const call = await held(READ)
    await world.database.transaction((db) =>
      db.updateTable('apiKey').set({ expiresAt: world.clock.now() }).where('id', '=', key.id).execute(),
    )
    expect(await endingOf(call)).toEqual([401, 'API_KEY_EXPIRED'])
  })

  it('kept to other networks, away from browsers, in want of a label', async () => {
    const policy = policyOfAdmin(ada, acme)
    key = await world.generateKey(ada, acme, {})
    const all = [await held(READ), await held(READ, { origin: 'https://elsewhere.example' }), await held(CREATE)]
    await policy.set({ rejectBrowsers: true })
    expect(await endingOf(all[1] as HeldCall)).toEqual([403, 'FORBIDDEN'])
    await policy.set({ labelRequired: true }, ['LABEL_REQUIRED'])
    expect(await endingOf(all[2] as HeldCall)).toEqual([403, 'FORBIDDEN'])
    await policy.set({ labelRequired: false, allowedNetworks: ['10.0.0.0/8'] }, ['ALLOWED_NETWORKS'])
    expect(await endingOf(all[0] as HeldCall)).toEqual([403, 'FORBIDDEN'])
  })

  it('no longer to manage keys: a policy that was on its way does not undo the one that was answered', async () => {
    const call = await held('mutation { setApiKeyPolicy(input: { allowKeyManagement: true }) { allowKeyManagement } }')
    await policyOfAdmin(ada, acme).set({ allowKeyManagement: false }, ['ALLOW_KEY_MANAGEMENT'])
    expect(await endingOf(call)).toEqual([200, 'FORBIDDEN'])
    const { allowKeyManagement } = fieldOf<{ allowKeyManagement: boolean }>(
      await asAda('{ apiKeyPolicy { allowKeyManagement } }'),
    )
    expect(allowKeyManagement).toBe(false)
  })

  it('still good: it is answered, and counted as one call', async () => {
    expect(await endingOf(await held(READ))).toEqual([200])
    const counted = () =>
      world.database.read.selectFrom('apiKeyUsage').select(['calls', 'errors']).where('keyId', '=', key.id).execute()
    await expect.poll(counted).toEqual([{ calls: 1, errors: 0 }])
  })
})

describe('C12: a session whose body is held back is judged as it is when the body has come', () => {
  const heldBy = (person: Person, query: string) =>
    holdBack(world.url, {
      path: '/portal/graphql',
      headers: { cookie: person.cookie, 'portal-organization': acme.slug },
      body: { query },
    })

  it('signed out, idle for too long', async () => {
    const [call, other] = [await heldBy(ada, READ), await heldBy(ada, READ)]
    world.clock.advance(12 * HOUR + MINUTE)
    expect(await endingOf(call)).toEqual([401, 'UNAUTHENTICATED'])
    world.clock.advance(-12 * HOUR - MINUTE)
    await world.post('/auth/sign-out', {}, { cookie: ada.cookie })
    expect(await endingOf(other)).toEqual([401, 'UNAUTHENTICATED'])
  })

  it('demoted, removed', async () => {
    const bob = await world.signUp('Bob')
    await world.join(acme, bob, 'ADMIN')
    const [first, second] = [await heldBy(bob, CREATE), await heldBy(bob, READ)]
    fieldOf(await asAda(`mutation { changeUserRole(userId: "${bob.userId}", role: MEMBER) { id } }`))
    expect(await endingOf(first)).toEqual([200, 'FORBIDDEN'])
    fieldOf(await asAda(`mutation { removeUser(userId: "${bob.userId}") }`))
    expect(await endingOf(second)).toEqual([404, 'NOT_FOUND'])
  })

  it('signed out while a new password, or an invitation, is on its way', async () => {
    const bob = await world.signUp('Bob')
    const invite = `mutation { inviteUser(input: { email: "${bob.email}" }) { link } }`
    const { link } = fieldOf<{ link: string }>(await asAda(invite))
    const headers = { cookie: bob.cookie }
    const change = { password: PASSWORD, newPassword: `${PASSWORD}, another` }
    const calls = [
      await holdBack(world.url, { path: '/auth/change-password', headers, body: change }),
      await holdBack(world.url, {
        path: '/auth/accept-invitation',
        headers,
        body: { token: link.split(/[/#]/).at(-1) },
      }),
    ]
    await world.post('/auth/sign-out', {}, { cookie: bob.cookie })
    for (const call of calls) expect(await endingOf(call)).toEqual([401, 'UNAUTHENTICATED'])
  })
})

describe('P1, P5: a call is looked up', () => {
  const lookupsOf = async (work: () => Promise<unknown>) => {
    const before = world.database.lookups.asked
    await work()
    return world.database.lookups.asked - before
  }

  it('once when its body comes with its head, on every call of a connection', async () => {
    for (let i = 0; i < 5; i++) expect(await lookupsOf(() => world.asKey(key.secret).call(READ))).toBe(1)
    const url = `${world.url}/graphql?query=${encodeURIComponent(READ)}`
    expect(await lookupsOf(() => fetch(url, { headers: { 'api-secret': key.secret } }))).toBe(1)
  })

  it('twice when a part of it comes later', async () => {
    expect(await lookupsOf(async () => (await held(READ, {}, 20)).finish())).toBe(2)
  })
})
