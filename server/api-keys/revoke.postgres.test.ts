import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countCalls } from '../../test/support/count-calls.ts'
import { newStorage, type Storage } from '../../test/support/storage.ts'
import { type Person, startWorld, type TestOrganization, type World } from '../../test/support/world.ts'

/*
 * What a revoke says to PostgreSQL, heard on the wire. Under load each round trip takes a turn of a busy event loop (P7).
 */

const ANSWER_AFTER_MS = 10 // whatever is said without waiting for the answer has been said by then
const REVOKE = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

let storage: Storage
let listener: Server
let world: World
let ada: Person
let sue: Person
let acme: TestOrganization
/** The statements of each round trip, on all connections; the lookup of the caller is not among them. */
let heard: string[][] = []

beforeAll(async () => {
  storage = await newStorage()
  const url = new URL(storage.env['DATABASE_URL'] ?? '')
  listener = listenIn({ host: url.hostname, port: Number(url.port) })
  await once(listener, 'listening')
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}` // as long as it listens on a port
  url.search = 'sslmode=disable&connection_limit=1'
  world = await startWorld({ beside: { storage }, env: { DATABASE_URL: url.href } })
  ada = await world.signUp('Ada')
  sue = await world.signUp('Sue')
  acme = await world.organization('Acme', { admin: ada })
  await world.join(acme, sue, 'ADMIN')
  await world.support(sue)
})

afterAll(async () => {
  await world.close()
  listener.close()
  await storage.remove()
})

function listenIn(to: { host: string; port: number }): Server {
  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ ...to, noDelay: true })
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
  return listener.listen(0, '127.0.0.1')
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
async function transactionWith(statement: string, work: () => Promise<unknown>): Promise<string[][]> {
  heard = []
  await work()
  const trips = heard.map((trip) => trip.map(inShort))
  const end = trips.findIndex((trip) => trip.includes(statement))
  const start = trips.findLastIndex((trip, i) => i <= end && trip[0] === 'begin')
  return trips.slice(start, trips.findIndex((trip, i) => i >= end && trip.includes('commit')) + 1)
}

type Call = (query: string, variables?: object) => Promise<{ errors: unknown[] }>

/** Of a revoke that is not the first: its statements are known to the server by then. */
async function revokeBy(call: Call, input: { all?: boolean } = {}): Promise<string[][]> {
  const revoke = async () => {
    const { id } = await world.generateKey(ada, acme)
    return transactionWith('delete apiKey', async () =>
      expect(await call(REVOKE, { id, ...input })).toMatchObject({ errors: [] }),
    )
  }
  await revoke()
  return revoke()
}

it('P7: writing usage locks keys only during the commit, for all keys in one statement', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => world.generateKey(ada, acme)))
  const ids = keys.map(({ id }) => id)
  const use = () => countCalls(world.database, ids, { at: world.clock.now() })
  await use()
  expect(await transactionWith('update apiKey', use)).toEqual([
    ['begin'],
    ['update apiKey', 'insert apiKeyUsage', 'commit'],
  ])
})

it('P7: a key revokes another in two round trips: authorization first, and all writes with the commit', async () => {
  const { secret } = await world.generateKey(ada, acme)
  expect(await revokeBy(world.asKey(secret).call)).toEqual([
    ['begin', 'select apiKey for key share', 'select apiKey for update', 'select invitation'],
    ['insert auditEvent', 'insert deletedApiKey', 'delete apiKey', 'commit'],
  ])
})

it('P7: a person does the same, also from support', async () => {
  const right = ['begin', 'select session for key share', 'select membership for share']
  const writes = ['insert auditEvent', 'insert deletedApiKey', 'delete apiKey', 'commit']
  expect(await revokeBy((query, variables) => ada.call(query, variables, acme.slug))).toEqual([
    [...right, 'select apiKey for update', 'select invitation'],
    writes,
  ])
  expect(await revokeBy((query, variables) => sue.call(query, variables, acme.slug))).toEqual([
    [...right, 'select user for share', 'select apiKey for update', 'select invitation'],
    writes,
  ])
})

it('P7: a search for descendants takes one round trip a level', async () => {
  expect(await revokeBy((query, variables) => ada.call(query, variables, acme.slug), { all: true })).toEqual([
    [
      'begin',
      'select session for key share',
      'select membership for share',
      'select apiKey for update',
      'select invitation',
    ],
    ['select apiKey for update', 'select invitation'],
    ['insert auditEvent', 'insert deletedApiKey', 'delete apiKey', 'commit'],
  ])
})
