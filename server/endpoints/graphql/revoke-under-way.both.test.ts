import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { type HeldCall, holdBack } from '../../../test/support/world/held-call.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { policyOfAdmin } from '../../../test/support/world/policy.ts'
import {
  PASSWORD,
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../../test/support/world/world.ts'
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts'

const READ = '{ devices { data { id name } } }'
const CREATE = 'mutation { createDevice(input: { name: "late" }) { id } }'

const it = inOrganization(startWorld)

const asAda = (acme: TestOrganization, query: string) => acme.call(query)
const held = (world: World, key: TestKey, query: string, headers = {}, sent = 0) =>
  holdBack(world.url, { headers: { 'api-secret': key.secret, ...headers }, body: { query }, sent })

async function endingOf(call: HeldCall) {
  const { status, codes } = await call.finish()
  return [status, ...codes]
}

describe('C12: a key whose body arrives later is checked again when the body has arrived', () => {
  it.for<[string, string, number]>([
    ['read', READ, 0],
    ['read, half of it sent', READ, 20],
    ['write', CREATE, 0],
  ])('revoked: %s', async ([_what, query, sent], { world, acme, key }) => {
    const call = await held(world, key, query, {}, sent)
    fieldOf(await asAda(acme, `mutation { revokeApiKey(id: "${key.id}") { ids } }`))
    expect(await endingOf(call)).toEqual([401, 'API_KEY_INVALID'])
  })

  it('expired', async ({ world, acme, key }) => {
    const end = new Date(world.clock.now() + DAY).toISOString()
    key = await acme.generateKey({ label: 'ends', expiresAt: end })
    const call = await held(world, key, READ)
    await world.database.transaction((db) =>
      db.updateTable('apiKey').set({ expiresAt: world.clock.now() }).where('id', '=', key.id).execute(),
    )
    expect(await endingOf(call)).toEqual([401, 'API_KEY_EXPIRED'])
  })

  it('restricted to other networks, rejecting browsers, lacking a label', async ({ world, ada, acme, key }) => {
    const policy = policyOfAdmin(ada, acme)
    key = await acme.generateKey({})
    const all = [
      await held(world, key, READ),
      await held(world, key, READ, { origin: 'https://elsewhere.example' }),
      await held(world, key, CREATE),
    ]
    await policy.set({ rejectBrowsers: true })
    expect(await endingOf(all[1] as HeldCall)).toEqual([403, 'FORBIDDEN'])
    await policy.set({ labelRequired: true }, ['LABEL_REQUIRED'])
    expect(await endingOf(all[2] as HeldCall)).toEqual([403, 'FORBIDDEN'])
    await policy.set({ labelRequired: false, allowedNetworks: ['10.0.0.0/8'] }, ['ALLOWED_NETWORKS'])
    expect(await endingOf(all[0] as HeldCall)).toEqual([403, 'FORBIDDEN'])
  })

  it('no longer allowed to manage keys: a change of the policy in progress does not undo the one that returned', async ({
    world,
    ada,
    acme,
    key,
  }) => {
    const call = await held(
      world,
      key,
      'mutation { setApiKeyPolicy(input: { allowKeyManagement: true }) { allowKeyManagement } }',
    )
    await policyOfAdmin(ada, acme).set({ allowKeyManagement: false }, ['ALLOW_KEY_MANAGEMENT'])
    expect(await endingOf(call)).toEqual([200, 'FORBIDDEN'])
    const { allowKeyManagement } = fieldOf<{ allowKeyManagement: boolean }>(
      await asAda(acme, '{ apiKeyPolicy { allowKeyManagement } }'),
    )
    expect(allowKeyManagement).toBe(false)
  })

  it('still valid: it is answered, and counted as one call', async ({ world, key }) => {
    expect(await endingOf(await held(world, key, READ))).toEqual([200])
    const counted = () =>
      world.database.read.selectFrom('apiKeyUsage').select(['calls', 'errors']).where('keyId', '=', key.id).execute()
    await expect.poll(counted).toEqual([{ calls: 1, errors: 0 }])
  })
})

describe('C12: a session whose body arrives later is checked again when the body has arrived', () => {
  const heldBy = (world: World, acme: TestOrganization, person: Person, query: string) =>
    holdBack(world.url, {
      path: '/portal/graphql',
      headers: { cookie: person.cookie, 'portal-organization': acme.slug },
      body: { query },
    })

  it('signed out, idle for too long', async ({ world, ada, acme }) => {
    const [call, other] = [await heldBy(world, acme, ada, READ), await heldBy(world, acme, ada, READ)]
    world.clock.advance(12 * HOUR + MINUTE)
    expect(await endingOf(call)).toEqual([401, 'UNAUTHENTICATED'])
    world.clock.advance(-12 * HOUR - MINUTE)
    await world.post('/auth/sign-out', {}, { cookie: ada.cookie })
    expect(await endingOf(other)).toEqual([401, 'UNAUTHENTICATED'])
  })

  it('demoted, removed', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    await world.join(acme, bob, 'ADMIN')
    const [first, second] = [await heldBy(world, acme, bob, CREATE), await heldBy(world, acme, bob, READ)]
    fieldOf(await asAda(acme, `mutation { changeUserRole(userId: "${bob.userId}", role: MEMBER) { id } }`))
    expect(await endingOf(first)).toEqual([200, 'FORBIDDEN'])
    fieldOf(await asAda(acme, `mutation { removeUser(userId: "${bob.userId}") }`))
    expect(await endingOf(second)).toEqual([404, 'NOT_FOUND'])
  })

  it('signed out while a new password or an invitation is in progress', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const invite = `mutation { inviteUser(input: { email: "${bob.email}" }) { link } }`
    const { link } = fieldOf<{ link: string }>(await asAda(acme, invite))
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

describe('P1, P5: a key is looked up', () => {
  const lookupsOf = async (world: World, work: () => Promise<unknown>) => {
    const before = world.database.lookups.asked
    await work()
    return world.database.lookups.asked - before
  }

  it('once if the body arrives with the headers, on every call of a connection', async ({ world, key }) => {
    for (let i = 0; i < 5; i++) expect(await lookupsOf(world, () => world.asKey(key.secret).call(READ))).toBe(1)
    const url = `${world.url}/graphql?query=${encodeURIComponent(READ)}`
    expect(await lookupsOf(world, () => fetch(url, { headers: { 'api-secret': key.secret } }))).toBe(1)
  })

  it('twice if a part of it arrives later', async ({ world, key }) => {
    expect(await lookupsOf(world, async () => (await held(world, key, READ, {}, 20)).finish())).toBe(2)
  })
})
