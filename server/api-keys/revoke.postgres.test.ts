import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect } from 'vitest'
import { startWorldBy } from '../../test/support/postgres/postgres-way.ts'
import { countCalls } from '../../test/support/world/count-calls.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { type Call, joined } from '../../test/support/world/people.ts'
import type { TestOrganization } from '../../test/support/world/world.ts'

/*
 * What a revoke says to PostgreSQL, heard on the wire. Under load each round trip takes a turn of a busy event loop (P7).
 */

const ANSWER_AFTER_MS = 10 // whatever is said without waiting for the answer has been said by then
/** The counter is raised last, so that others wait for its row no longer than the commit takes. */
const WRITES = [
  'insert auditEvent',
  'insert storedBytes',
  'with webhookProgress', // the events for webhooks
  'insert storedBytes', // their deliveries
  'insert deletedApiKey',
  'insert revokedApiKey',
  'delete apiKey',
  'update revocationState',
  'insert revocation',
  'commit',
]
const REVOKE = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

const it = inWorld(() => startWorldBy(listenIn))
  .extend('sue', { scope: 'file' }, async ({ world, acme }) => {
    const sue = await joined(world, acme, 'Sue', 'ADMIN')
    await world.support(sue)
    return sue
  })
  .extend(
    'revokeBy',
    ({ world, acme }) =>
      (call: Call, input?: { all: boolean }) =>
        revokeBy(world.way, acme, call, input),
  )

interface HeardWay {
  url: string
  /** The statements of each round trip, on all connections; the lookup of the caller is not among them. */
  heard: string[][]
  close(): Promise<void>
}

/** All that is said on one connection to the database of this address. */
async function listenIn(address: string): Promise<HeardWay> {
  const url = new URL(address)
  const to = { host: url.hostname, port: Number(url.port), noDelay: true }
  const heard: string[][] = []
  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect(to)
    const statementsIn = createReader()
    let trip: string[] | undefined
    client.on('data', (bytes) => {
      if (!trip) {
        trip = []
        heard.push(trip)
      }
      trip.push(...statementsIn(bytes))
      server.write(bytes)
    })
    server.on('data', (bytes) =>
      setTimeout(() => {
        trip = undefined
        client.write(bytes)
      }, ANSWER_AFTER_MS),
    )
    client.on('close', () => server.destroy()).on('error', () => {})
    server.on('close', () => client.destroy()).on('error', () => {})
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}` // as long as it listens on a port
  url.search = 'sslmode=disable&connection_limit=1'
  return { url: url.href, heard, close: async () => void listener.close() }
}

/** Reads what a client says, and gives the statements that are run by it. */
function createReader(): (bytes: Buffer) => string[] {
  const prepared = new Map<string, string>()
  let held = Buffer.alloc(0)
  let hasStarted = false
  return (bytes) => {
    const statements: string[] = []
    held = Buffer.concat([held, bytes])
    for (;;) {
      const length =
        held.length < 5 ? Number.POSITIVE_INFINITY : hasStarted ? 1 + held.readUInt32BE(1) : held.readUInt32BE(0)
      if (held.length < length) return statements
      const [type, body] = [String.fromCharCode(held[0] ?? 0), held.toString('latin1', 5, length)]
      const [first = '', second = ''] = body.split('\0')
      if (hasStarted && type === 'Q') statements.push(first)
      if (hasStarted && type === 'P') prepared.set(first, second)
      if (hasStarted && type === 'B') statements.push(prepared.get(second) ?? '?')
      hasStarted = true
      held = held.subarray(length)
    }
  }
}

/** `select apiKey for key share` in place of the whole of it. */
function inShort(statement: string): string {
  const [, verb = ''] = /^(\w+)/.exec(statement) ?? []
  const [, table] = /(?:from|into|update) "(\w+)"/.exec(statement) ?? []
  const [lock] = /for (?:key share|share|no key update|update)$/.exec(statement) ?? []
  return [verb, table, lock].filter((word) => word !== undefined).join(' ')
}

/** The transaction that has this statement in it, as its round trips. */
async function transactionWith(
  { heard }: HeardWay,
  statement: string,
  work: () => Promise<unknown>,
): Promise<string[][]> {
  heard.length = 0
  await work()
  const trips = heard.map((trip) => trip.map(inShort))
  const end = trips.findIndex((trip) => trip.includes(statement))
  const start = trips.findLastIndex((trip, i) => i <= end && trip[0] === 'begin')
  return trips.slice(start, trips.findIndex((trip, i) => i >= end && trip.includes('commit')) + 1)
}

/** A revoke that is not the first: its statements are known to the server by then. */
async function revokeBy(
  way: HeardWay,
  acme: TestOrganization,
  call: Call,
  input: { all?: boolean } = {},
): Promise<string[][]> {
  const revoke = async () => {
    const { id } = await acme.generateKey()
    return transactionWith(way, 'delete apiKey', async () =>
      expect(await call(REVOKE, { id, ...input })).toMatchObject({ errors: [] }),
    )
  }
  await revoke()
  return revoke()
}

it('P7: writing usage locks keys only during the commit, for all keys in one statement', async ({ world, acme }) => {
  const keys = await Promise.all([1, 2, 3].map(() => acme.generateKey()))
  const ids = keys.map(({ id }) => id)
  const use = () => countCalls(world.database, ids, { at: world.clock.now() })
  await use()
  expect(await transactionWith(world.way, 'update apiKey', use)).toEqual([
    ['begin'],
    ['update apiKey', 'insert apiKeyUsage', 'commit'],
  ])
})

it('P7: a key revokes another in two round trips: authorization first, and all writes with the commit', async ({
  call,
  revokeBy,
}) => {
  expect(await revokeBy(call)).toEqual([
    ['begin', 'select apiKey for key share', 'select revocationState', 'select apiKey for update', 'select invitation'],
    WRITES,
  ])
})

it('P7: a person does the same, also from support', async ({ acme, sue, revokeBy }) => {
  const right = ['begin', 'select session for key share', 'select membership for share']
  const rest = ['select revocationState', 'select apiKey for update', 'select invitation']
  expect(await revokeBy(acme.call)).toEqual([[...right, ...rest], WRITES])
  expect(await revokeBy((query, variables) => sue.call(query, variables, acme.slug))).toEqual([
    [...right, 'select user for share', ...rest],
    WRITES,
  ])
})

it('P7: a search for descendants takes one round trip a level', async ({ acme, revokeBy }) => {
  expect(await revokeBy(acme.call, { all: true })).toEqual([
    [
      'begin',
      'select session for key share',
      'select membership for share',
      'select revocationState',
      'select apiKey for update',
      'select invitation',
    ],
    ['select apiKey for update', 'select invitation'],
    WRITES,
  ])
})
