import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import {
  byKey,
  byPerson,
  codesIn,
  dataOf,
  type KeyedAnswer,
  newHeader,
  type Send,
} from '../../../test/support/world/keyed-calls.ts'
import { PATIENT, untilItWaits } from '../../../test/support/world/waiting.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'
import { forUpdate } from '../../db/locks.ts'
import { DAY, MINUTE } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { runBackgroundJobs } from '../../process/background-jobs.ts'

const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id name createdAt } }'
const GENERATE = 'mutation { generateApiKey(input: { label: "made" }) { secret apiKey { id label } } }'
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids durable } }'

const create = (name = 'edge') => ({ query: CREATE, variables: { input: { name } } })

const it = inOrganization(() => startWorld({ timeouts: PATIENT }))
  .extend('asKey', ({ world, key }) => byKey(world, key.secret))
  .extend('asAda', ({ world, ada, acme }) => byPerson(world, ada, acme))
  .extend('asBob', ({ world, bob, acme }) => byPerson(world, bob, acme))

const rowsOf = (world: World, table: 'device' | 'apiKey' | 'auditEvent' | 'idempotencyRecord') =>
  world.database.read.selectFrom(table).selectAll().execute()

const numberOf = async (world: World, table: Parameters<typeof rowsOf>[1]) => (await rowsOf(world, table)).length

/** What was sent twice is answered the same way twice, and done once. */
function expectSame(first: KeyedAnswer, again: KeyedAnswer): void {
  expect(first.body.errors).toBeUndefined()
  expect([again.status, again.text, again.isReplayed]).toEqual([first.status, first.text, true])
  expect(first.isReplayed).toBe(false)
}

const twice = async (send: Send, request: Parameters<Send>[0], headers = newHeader()) =>
  [await send(request, headers), await send(request, headers)] as const

describe('the same request again', () => {
  it('is done once, and has the same answer', async ({ world, asKey }) => {
    const before = await numberOf(world, 'device')
    const [first, again] = await twice(asKey, create())
    expectSame(first, again)
    expect(await numberOf(world, 'device')).toBe(before + 1)
  })

  it('has the same secret again, which is nowhere in the database', async ({ world, asAda }) => {
    const value = 'order-2026-11-18-1'
    const [first, again] = await twice(asAda, { query: GENERATE }, { 'idempotency-key': value })
    expectSame(first, again)
    const { secret } = dataOf<{ secret: string }>(first)
    expect(await world.accepts(secret)).toBe(true)
    const stored = await world.storage.dump()
    expect(stored).not.toContain(secret.slice(4, 20))
    expect(stored).not.toContain(value)
  })

  it('has the same answer although what it is about has changed or is gone', async ({ world, asKey, asAda }) => {
    const header = newHeader()
    const first = await asKey(create(), header)
    const { id } = dataOf<{ id: string }>(first)
    await asAda({ query: 'mutation ($id: ID!) { deleteDevice(id: $id) }', variables: { id } })
    world.clock.advance(MINUTE)
    expectSame(first, await asKey(create(), header))
  })

  it('may have its variables in another order, and the header in quotes', async ({ asKey }) => {
    const [{ 'idempotency-key': value }, query] = [newHeader(), CREATE]
    const send = (input: object, header: string) =>
      asKey({ query, variables: { input } }, { 'idempotency-key': header })
    const first = await send({ name: 'ordered', enabled: false }, value)
    expectSame(first, await send({ enabled: false, name: 'ordered' }, `"${value}"`))
  })

  it('is answered the same way in the response type of GraphQL', async ({ asKey }) => {
    const headers = { ...newHeader(), accept: 'application/graphql-response+json' }
    expectSame(...(await twice(asKey, create(), headers)))
  })

  it('works for what revokes, and the ledger has it', async ({ world, acme, asAda }) => {
    const { id, secret } = await acme.generateKey()
    const [first, again] = await twice(asAda, { query: REVOKE, variables: { id } })
    expectSame(first, again)
    expect(first.body.data).toEqual({ revokeApiKey: { ids: [id], durable: true } })
    expect(await world.accepts(secret)).toBe(false)
  })

  it('waits for the first one, and then has its answer', async ({ world, asKey }) => {
    const before = await numberOf(world, 'device')
    const headers = newHeader()
    const answers = await Promise.all(Array.from({ length: 8 }, () => asKey(create('at-once'), headers)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1)
    expect(await numberOf(world, 'device')).toBe(before + 1)
  })

  it('waits for the first one, also at another replica, and then has its answer', async ({ world, ada, acme }) => {
    const replica = await startWorld({ beside: world, timeouts: PATIENT })
    const headers = newHeader()
    const sendAll = () =>
      Promise.all([world, replica].map((at) => byPerson(at, ada, acme)({ query: GENERATE }, headers)))
    const { done } = await world.database.transaction(async (db) => {
      await forUpdate(db, db.selectFrom('organization').select('id').where('id', '=', acme.id)).execute()
      return untilItWaits(world, sendAll, { oneOf: 2 })
    })
    const [one, other] = await done
    expect([one?.text, one?.isReplayed]).toEqual([other?.text, !other?.isReplayed])
    const keys = world.database.read.selectFrom('apiKey').select('id').where('organizationId', '=', acme.id)
    expect(await keys.execute()).toHaveLength(1)
    await replica.close()
  })

  it('runs anew after an error, which is not recorded', async ({ asKey, asAda }) => {
    const taken = await asKey(create('taken'))
    const headers = newHeader()
    expect(codesIn(await asKey(create('taken'), headers))).toEqual(['CONFLICT'])
    const { id } = dataOf<{ id: string }>(taken)
    await asAda({ query: 'mutation ($id: ID!) { deleteDevice(id: $id) }', variables: { id } })
    const second = await asKey(create('taken'), headers)
    expect(second.body.errors).toBeUndefined()
    expectSame(second, await asKey(create('taken'), headers))
  })

  it('runs anew after 24 hours', async ({ world, ada, acme }) => {
    const asKey = byKey(world, (await world.generateKey(ada, acme)).secret)
    const headers = newHeader()
    const first = await asKey(create('day'), headers)
    world.clock.advance(DAY - 1)
    expectSame(first, await asKey(create('day'), headers))
    world.clock.advance(1)
    expect(codesIn(await asKey(create('day'), headers))).toEqual(['CONFLICT']) // its name is taken
    const { id } = dataOf<{ id: string }>(first)
    await asKey({ query: 'mutation ($id: ID!) { deleteDevice(id: $id) }', variables: { id } })
    const anew = await asKey(create('day'), headers)
    expectSame(anew, await asKey(create('day'), headers))
  })
})

describe('another request with the same key', () => {
  const other: [string, (send: Send, headers: Record<string, string>) => Promise<KeyedAnswer>][] = [
    ['another variable', (send, headers) => send(create('other'), headers)],
    ['another document', (send, headers) => send({ ...create('one'), query: `${CREATE} ` }, headers)],
    ['another operationName', (send, headers) => send({ ...create('one'), operationName: 'Named' }, headers)],
    ['a dry run', (send, headers) => send({ ...create('one'), extensions: { dryRun: true } }, headers)],
  ]
  const named = { ...create('one'), query: CREATE.replace('mutation', 'mutation Named') }

  for (const [what, send] of other) {
    it(`is a conflict: ${what}`, async ({ world, asKey }) => {
      const isNamed = what === 'another operationName'
      const headers = newHeader()
      await asKey(isNamed ? named : create('one'), headers)
      const before = await numberOf(world, 'auditEvent')
      const answer = isNamed ? await asKey({ ...named, operationName: 'Named' }, headers) : await send(asKey, headers)
      expect([answer.status, codesIn(answer), answer.isReplayed]).toEqual([409, ['CONFLICT'], false])
      expect(await numberOf(world, 'auditEvent')).toBe(before)
    })
  }

  it('is a conflict: another organization', async ({ world, ada, acme }) => {
    const beta = await world.organization('Beta', { admin: ada })
    const headers = newHeader()
    await byPerson(world, ada, acme)(create(), headers)
    expect(codesIn(await byPerson(world, ada, beta)(create(), headers))).toEqual(['CONFLICT'])
  })
})

describe('whoever sends it again', () => {
  it('has to be accepted: not with a key that is paused or revoked', async ({ world, acme, asAda }) => {
    const { id, secret } = await acme.generateKey()
    const headers = newHeader()
    const send = () => byKey(world, secret)(create('by-key'), headers)
    await send()
    await asAda({ query: 'mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', variables: { id } })
    expect(codesIn(await send())).toEqual(['API_KEY_PAUSED'])
    await asAda({ query: 'mutation ($id: ID!) { resumeApiKey(id: $id) { id } }', variables: { id } })
    expect((await send()).isReplayed).toBe(true)
    await asAda({ query: REVOKE, variables: { id } })
    expect(codesIn(await send())).toEqual(['API_KEY_INVALID'])
  })

  it('has to be accepted when the answer is read: not with a key that is revoked meanwhile', async ({
    world,
    acme,
  }) => {
    const { id, secret } = await acme.generateKey()
    const headers = newHeader()
    const send = () => byKey(world, secret)(create('meanwhile'), headers)
    await send()
    const { done } = await world.database.transaction(async (db) => {
      await db.deleteFrom('apiKey').where('id', '=', id).execute()
      return untilItWaits(world, send)
    })
    expect(codesIn(await done)).toEqual(['API_KEY_INVALID'])
  })

  for (const fewer of ['access: DEVICES', 'allowedNetworks: ["127.0.0.0/8", "::1"]', 'requestsPerDay: 1000']) {
    it(`has to be allowed as much as before: not with ${fewer}`, async ({ acme, world, asAda }) => {
      const { id, secret } = await acme.generateKey()
      const headers = newHeader()
      const send = () => byKey(world, secret)({ query: GENERATE }, headers)
      await send()
      const narrow = `mutation ($id: ID!) { updateApiKey(id: $id, input: { ${fewer} }) { id } }`
      expect((await asAda({ query: narrow, variables: { id } })).body.errors).toBeUndefined()
      const refused = await send()
      expect([codesIn(refused), refused.isReplayed]).toEqual([['FORBIDDEN'], false])
      expect(refused.text).not.toContain('emp_')
    })
  }

  it('is a person with the role that they had', async ({ world, acme, asAda, bob, asBob }) => {
    const role = (to: string) => ({
      query: `mutation ($id: ID!) { changeUserRole(userId: $id, role: ${to}) { id } }`,
      variables: { id: bob.userId },
    })
    await asAda(role('ADMIN'))
    const headers = newHeader()
    const first = await asBob({ query: GENERATE }, headers)
    expectSame(first, await asBob({ query: GENERATE }, headers))
    await asAda(role('MEMBER'))
    const refused = await byPerson(world, bob, acme)({ query: GENERATE }, headers)
    expect([codesIn(refused), refused.text.includes('emp_')]).toEqual([['FORBIDDEN'], false])
  })
})

describe('what is refused before anything runs', () => {
  for (const value of ['', '""', 'x'.repeat(256), 'order\t1', 'größe-1']) {
    it(`a value that is none: ${value.slice(0, 12)}`, async ({ asKey }) => {
      const answer = await asKey(create('unnamed'), { 'idempotency-key': value })
      expect([answer.status, codesIn(answer)]).toEqual([400, ['BAD_REQUEST']])
      expect(answer.body.errors).toMatchObject([
        {
          message: 'Idempotency-Key: 1 to 255 printable ASCII characters.',
          extensions: { field: 'Idempotency-Key' },
        },
      ])
    })
  }

  it('several root fields, also in a fragment', async ({ world, asKey }) => {
    const before = await numberOf(world, 'device')
    const field = (name: string) => `${name}: createDevice(input: { name: "${name}" }) { id }`
    const documents = [
      `mutation { ${field('a')} ${field('b')} }`,
      `mutation { ...Two } fragment Two on Mutation { ${field('a')} ... { ${field('b')} } }`,
    ]
    for (const query of documents) {
      const answer = await asKey({ query }, newHeader())
      expect([answer.status, codesIn(answer)]).toEqual([400, ['BAD_REQUEST']])
      expect(answer.body.errors?.[0]?.message).toContain('one field at its root')
    }
    expect(await numberOf(world, 'device')).toBe(before)
  })
})

it('a query ignores the header', async ({ asKey }) => {
  const answer = await asKey({ query: '{ viewer { role } }' }, { 'idempotency-key': 'test' })
  expect(answer.text).toBe('{"data":{"viewer":{"role":"ADMIN"}}}')
})

it('records go after 24 hours, and those of a key soon after it', async ({ world, acme, asAda }) => {
  const { database, clock, config } = world
  const jobs = () =>
    runBackgroundJobs({ database, config, now: clock.now, log: createLog('silent'), webDir: undefined })
  const { id, secret } = await acme.generateKey()
  await byKey(world, secret)(create('of-key'), newHeader())
  const ofKey = () => database.read.selectFrom('idempotencyRecord').select('id').where('callerId', '=', id).execute()
  expect(await ofKey()).toHaveLength(1)
  await asAda({ query: REVOKE, variables: { id } }, newHeader())
  await jobs()
  expect(await ofKey()).toEqual([])
  expect(await numberOf(world, 'idempotencyRecord')).toBeGreaterThan(0)
  clock.advance(DAY + 1)
  await jobs()
  expect(await numberOf(world, 'idempotencyRecord')).toBe(0)
})
