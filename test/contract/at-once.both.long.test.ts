import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPasswordReset } from '../../server/identity/password-reset.ts'
import { MINUTE } from '../../server/lib/clock.ts'
import { countCalls } from '../support/world/count-calls.ts'
import { keyRow } from '../support/world/inserted-keys.ts'
import { codesOf, fieldOf, invited, isSignedIn, peopleAs, usersOf } from '../support/world/people.ts'
import {
  PASSWORD,
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../support/world/world.ts'

/*
 * Rules that two requests at once could break together, though each alone keeps them. They go to two servers on one database.
 */

const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
const REVOKE_ALL = 'mutation ($id: ID!) { revokeApiKey(id: $id, includeDescendants: true) { ids } }'
const GENERATE = 'mutation { generateApiKey { secret apiKey { id } } }'
const ACTIVE = '{ organization { activeApiKeyCount } }'
const UPDATE = 'mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { id } }'

let one: World
let two: World
let ada: Person
let count = 0

beforeAll(async () => {
  one = await startWorld()
  two = await startWorld({ beside: one })
  ada = await one.signUp('Ada')
})

afterAll(async () => {
  await two.close()
  await one.close()
})

const fresh = () => one.organization(`Acme ${++count}`, { admin: ada })

/** A person who calls the other server. */
const elsewhere = (person: Person): Person => ({
  ...person,
  call: (query, variables, slug) =>
    two
      .post(
        '/portal/graphql',
        { query, variables },
        { cookie: person.cookie, headers: slug ? { 'portal-organization': slug } : {} },
      )
      .then(({ status, body, headers }) => {
        const { data, errors = [] } = body as {
          data?: unknown
          errors?: { message: string; extensions: { code: string } }[]
        }
        return { status, data, headers, errors: errors.map((error) => ({ ...error, code: error.extensions.code })) }
      }),
})

const times = <Result>(howOften: number, work: (i: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: howOften }, (_, i) => work(i)))

const activeKeys = async (acme: TestOrganization) =>
  fieldOf<{ activeApiKeyCount: number }>(await ada.call(ACTIVE, {}, acme.slug)).activeApiKeyCount

describe('people', () => {
  it('of two Admins who leave at once, one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const acme = await fresh()
      const bob = await one.signUp('Bob')
      await one.join(acme, bob, 'ADMIN')
      const leave = 'mutation ($userId: ID!) { removeUser(userId: $userId) }'
      const left = await Promise.all([
        ada.call(leave, { userId: ada.userId }, acme.slug),
        elsewhere(bob).call(leave, { userId: bob.userId }, acme.slug),
      ])
      expect(left.flatMap(codesOf)).toEqual(['CONFLICT'])
    }
  })

  it('of two Admins who demote each other at once, one stays an Admin', async () => {
    for (let round = 0; round < 5; round++) {
      const acme = await fresh()
      const bob = await one.signUp('Bob')
      await one.join(acme, bob, 'ADMIN')
      const asAda = peopleAs((query, variables) => ada.call(query, variables, acme.slug))
      const asBob = peopleAs((query, variables) => elsewhere(bob).call(query, variables, acme.slug))
      const answers = await Promise.all([
        asAda.changeRole(bob.userId, 'MEMBER'),
        asBob.changeRole(ada.userId, 'MEMBER'),
      ])
      expect(answers.flatMap(codesOf)).toHaveLength(1)
      const roles = usersOf(await asAda.list()).data.map(({ role }) => role)
      expect(roles.toSorted()).toEqual(['ADMIN', 'MEMBER'])
    }
  })

  it('an invitation that two accept at once admits one', async () => {
    const acme = await fresh()
    const { token } = await invited((query, variables) => ada.call(query, variables, acme.slug), {
      email: `new-${count}@example.com`,
    })
    const accept = (world: World) => world.post('/auth/accept-invitation', { token, name: 'New', password: PASSWORD })
    const statuses = (await Promise.all([accept(one), accept(two)])).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 404])
    const { data } = usersOf(await peopleAs((query, variables) => ada.call(query, variables, acme.slug)).list())
    expect(data).toHaveLength(2)
  })

  it('a reset link that two use at once sets one password', async () => {
    for (let round = 0; round < 3; round++) {
      const bob = await one.signUp('Bob')
      const { token } = (await createPasswordReset(one.database, one.clock.now(), bob.email)) ?? {}
      const reset = (world: World, password: string) => world.post('/auth/reset-password', { token, password })
      const answers = await Promise.all([reset(one, 'the first passphrase'), reset(two, 'the second passphrase')])
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    }
  })

  it('no session of the old password survives a change of password', async () => {
    for (let round = 0; round < 3; round++) {
      const bob = await one.signUp('Bob')
      const newPassword = `another passphrase ${round}`
      const change = one.post('/auth/change-password', { password: bob.password, newPassword }, { cookie: bob.cookie })
      const tries = times(6, () => two.post('/auth/sign-in', { email: bob.email, password: bob.password }))
      expect((await change).status).toBe(200)
      for (const { cookie } of await tries) expect(cookie ? await isSignedIn(two, cookie) : false).toBe(false)
    }
  })

  it('organizations of the same name that are created at once get different slugs', async () => {
    const made = await times(8, (i) =>
      one.organization('Same Name', { admin: i % 2 ? ada : elsewhere(ada), apiKeys: false }),
    )
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(8)
  })
})

describe('keys', () => {
  it('an organization never has more than 100, however many are requested at once', async () => {
    const acme = await fresh()
    const { secret } = await one.generateKey(ada, acme)
    const given = { organizationId: acme.id, createdAt: one.clock.now(), expiresAt: null }
    const rows = Array.from({ length: 80 }, (_, i) => keyRow({ ...given, label: `k${i}` }))
    await one.database.transaction((db) => db.insertInto('apiKey').values(rows).execute())
    const answers = await times(40, (i) => (i % 2 ? one : two).asKey(secret).call(GENERATE))
    expect(answers.flatMap(codesOf)).toEqual(Array.from({ length: 21 }, () => 'LIMIT_EXCEEDED'))
    expect(await activeKeys(acme)).toBe(100)
  })

  it('K8: switching off with all keys revoked leaves none, including keys being generated', async () => {
    for (let round = 0; round < 4; round++) {
      const acme = await fresh()
      const { secret } = await one.generateKey(ada, acme)
      const making = times(20, (i) => (i % 2 ? one : two).asKey(secret).call(GENERATE))
      const off = 'mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }'
      fieldOf(await elsewhere(ada).call(off, {}, acme.slug))
      await making
      expect(await activeKeys(acme)).toBe(0)
    }
  })

  it('K10: revoking a key with its descendants leaves none, including keys being generated', async () => {
    for (let round = 0; round < 4; round++) {
      const acme = await fresh()
      const first = await one.generateKey(ada, acme)
      const spawn = async (world: World, parent: string, left: number): Promise<void> => {
        const made = await world.asKey(parent).call(GENERATE)
        if (made.errors.length === 0 && left > 0)
          await spawn(world === one ? two : one, fieldOf<{ secret: string }>(made).secret, left - 1)
      }
      const spawning = times(4, (i) => spawn(i % 2 ? one : two, first.secret, 8))
      await spawn(one, first.secret, 0)
      fieldOf(await elsewhere(ada).call(REVOKE_ALL, { id: first.id }, acme.slug))
      await spawning
      expect(await activeKeys(acme)).toBe(0)
    }
  })

  it('of two keys that revoke each other at once, one is revoked, and there is no deadlock', async () => {
    for (let round = 0; round < 3; round++) {
      const acme = await fresh()
      const keys = [await one.generateKey(ada, acme), await one.generateKey(ada, acme)] as const
      const revoke = (world: World, by: TestKey, victim: TestKey) =>
        world.asKey(by.secret).call(REVOKE, { id: victim.id })
      const answers = await Promise.all([revoke(one, keys[0], keys[1]), revoke(two, keys[1], keys[0])])
      expect(answers.flatMap(codesOf)).toEqual(['API_KEY_INVALID'])
      expect(await activeKeys(acme)).toBe(1)
    }
  })
})

it('a device that is renamed and tagged at once is found by its last name and its tag', async () => {
  const acme = await fresh()
  const made = await ada.call('mutation { createDevice(input: { name: "d", tags: ["t"] }) { id } }', {}, acme.slug)
  const { id } = fieldOf<{ id: string }>(made)
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      ada.call(UPDATE, { id, input: { name: `renamed ${round}` } }, acme.slug),
      elsewhere(ada).call(UPDATE, { id, input: { name: 'd', description: `round ${round}` } }, acme.slug),
    ])
    const query = '{ device(id: "ID") { name } }'.replace('ID', id)
    const { name } = fieldOf<{ name: string }>(await ada.call(query, {}, acme.slug))
    const search = 'query ($search: String!) { devices(search: $search, filter: { tags: ["t"] }) { data { name } } }'
    expect(fieldOf<{ data: object[] }>(await ada.call(search, { search: name }, acme.slug)).data).toEqual([{ name }])
  }
})

it('of views of one name that are saved at once, one is there, and never more than 50', async () => {
  const acme = await fresh()
  const save = (person: Person, name: string) =>
    person.call(
      'mutation ($name: String!) { saveDeviceView(input: { name: $name, search: "" }) { id } }',
      { name },
      acme.slug,
    )
  const saved = async () => fieldOf<object[]>(await ada.call('{ deviceViews { name } }', {}, acme.slug))
  await times(10, (i) => save(i % 2 ? ada : elsewhere(ada), 'the same'))
  expect(await saved()).toEqual([{ name: 'the same' }])
  const answers = await times(54, (i) => save(i % 2 ? ada : elsewhere(ada), `view ${i}`))
  expect(answers.flatMap(codesOf)).toEqual(Array.from({ length: 5 }, () => 'LIMIT_EXCEEDED'))
  expect(await saved()).toHaveLength(50)
})

it('last-used times of many servers are merged: the latest stays, whatever the order of writes', async () => {
  const acme = await fresh()
  const keys = await Promise.all([one.generateKey(ada, acme), one.generateKey(ada, acme)])
  const at = one.clock.now()
  const note = (world: World, minutes: number) =>
    countCalls(
      world.database,
      keys.map(({ id }) => id),
      { at: at + minutes * MINUTE, from: `10.0.0.${minutes}` },
    )
  await Promise.all([3, 9, 1, 7, 5].map((minutes, i) => note(i % 2 ? one : two, minutes)))
  await note(two, 4)
  const query = '{ apiKeys { data { lastUsedAt lastUsedIp } } }'
  const { data } = fieldOf<{ data: object[] }>(await ada.call(query, {}, acme.slug))
  const latest = { lastUsedAt: new Date(at + 9 * MINUTE).toISOString(), lastUsedIp: '10.0.0.9' }
  expect(data).toEqual([latest, latest])
})
