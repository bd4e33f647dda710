import { AsyncLocalStorage } from 'node:async_hooks'
import type { Server } from 'node:http'
import type { KyselyPlugin } from 'kysely'
import postgres from 'postgres'
import type { Database } from '../../server/db/database.ts'
import type { Lookup, LookupColumns, LookupValues } from '../../server/db/lookup.ts'
import type { Transaction } from '../../server/db/transaction.ts'

const CACHED_MS = 1000
const SNAPSHOT_MS = 500
/** What a trigger of the test says when a key is deleted. */
export const KEY_GONE = 'key_gone'

/** How every portal without a ledger is: it believes whatever the database says. */
export const NOTHING_REMEMBERED = 'no memory outside of the database'
export const JUDGED_BEFORE_BODY = 'a key that is judged before its body alone'

/** Each of these is a way in which a portal like this one is built, and breaks the promise. */
export const PLANTED_FAULTS = {
  nothing: (database: Database) => database,
  'a cache of 1 s': withCache,
  'joining a query already sent': withJoining,
  'invalidation by NOTIFY alone': withNotify,
  'lookup on a standby': withStandby,
  'an old snapshot': withSnapshot,
  'the last answer where the database gives none': withLastAnswer,
  'a write without the lock on its key': withoutLock,
  "end dates by the replica's own clock": withOwnClock,
  [JUDGED_BEFORE_BODY]: withFirstAnswer,
  [NOTHING_REMEMBERED]: withoutMemory,
}

export type PlantedFault = keyof typeof PLANTED_FAULTS

type LookupCall = { lookup: AnyLookup; values: LookupValues<LookupColumns>; name: string }
type Found = Awaited<ReturnType<Database['lookUp']>>
type AnyLookup = Lookup<LookupColumns, Record<string, unknown>>

/** Every lookup goes another way; `honest` is the right one. */
function lookingUp(
  database: Database,
  way: (asked: LookupCall, honest: () => Promise<Found>) => Promise<Found>,
): Database {
  return {
    ...database,
    async lookUp<Columns extends LookupColumns, Row>(lookup: Lookup<Columns, Row>, values: LookupValues<Columns>) {
      const name = Object.values(values).map((value) => Buffer.from(value).toString('hex'))
      const asked = { lookup: lookup as unknown as AnyLookup, values, name: name.join() }
      const found = await way(asked, async () => database.lookUp(lookup, values))
      return { ...found, row: found.row as Row | undefined } // it came from this lookup, if not now
    },
  }
}

function withCache(database: Database): Database {
  const kept = new Map<string, Found & { until: number }>()
  return lookingUp(database, async ({ name }, honest) => {
    const known = kept.get(name)
    if (known && performance.now() < known.until) return known
    const found = await honest()
    kept.set(name, { ...found, until: performance.now() + CACHED_MS })
    return found
  })
}

function withJoining(database: Database): Database {
  const underWay = new Map<string, Promise<Found>>()
  return lookingUp(database, ({ name }, honest) => {
    const joined = underWay.get(name) ?? honest().finally(() => underWay.delete(name))
    underWay.set(name, joined)
    return joined
  })
}

async function withNotify(database: Database, url: string): Promise<Database> {
  const kept = new Map<string, Found>()
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.listen(KEY_GONE, (name) => void kept.delete(name))
  return lookingUp(database, async ({ name }, honest) => {
    const found = kept.get(name) ?? (await honest())
    if (found.row) kept.set(name, found)
    return found
  })
}

function withLastAnswer(database: Database): Database {
  const kept = new Map<string, Found>()
  return lookingUp(database, async ({ name }, honest) => {
    try {
      const found = await honest()
      kept.set(name, found)
      return found
    } catch (error) {
      const last = kept.get(name)
      if (last) return last
      throw error
    }
  })
}

/** The second address is the standby's. */
async function withStandby(database: Database, _url: string, standbyUrl: string): Promise<Database> {
  const sql = postgres(standbyUrl, { max: 4, onnotice: () => {}, types: { bigint: INT8 } })
  return lookingUp(database, async (asked) => {
    return { row: await askPlainly(sql, database, asked), now: database.now(), isHeld: false }
  })
}

async function withSnapshot(database: Database, url: string): Promise<Database> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, types: { bigint: INT8 } })
  let snapshot: Promise<postgres.ReservedSql> | undefined
  const take = async () => {
    const connection = await sql.reserve()
    await connection`begin isolation level repeatable read`
    setTimeout(async () => {
      snapshot = undefined
      await connection`commit`.catch(() => {})
      connection.release()
    }, SNAPSHOT_MS)
    return connection
  }
  return lookingUp(database, async (asked) => {
    snapshot ??= take()
    return { row: await askPlainly(await snapshot, database, asked), now: database.now(), isHeld: false }
  })
}

function withoutMemory(database: Database): Database {
  database.point.require = () => {}
  return database
}

function withOwnClock(database: Database): Database {
  return lookingUp(database, async (_asked, honest) => {
    return { ...(await honest()), now: Date.now() }
  })
}

const INT8 = { to: 20, from: [20], serialize: String, parse: Number }

async function askPlainly(sql: postgres.Sql, { read }: Database, { lookup, values }: LookupCall) {
  const query = lookup.build(read, values).compile()
  const [row] = await sql.unsafe(query.sql, query.parameters as postgres.ParameterOrJSON<never>[]) // text and hashes
  return row
}

function withoutLock(database: Database): Database {
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (node.kind !== 'SelectQueryNode' || !node.endModifiers) return node
      return { ...node, endModifiers: node.endModifiers.filter(({ modifier }) => modifier !== 'ForKeyShare') }
    },
    transformResult: async ({ result }) => result,
  }
  return {
    ...database,
    transaction: (work, options) => database.transaction((db) => work(plugged(db, plugin)), options),
  }
}

function plugged(transaction: Transaction, plugin: KyselyPlugin): Transaction {
  const queries: object = transaction.withPlugin(plugin)
  return new Proxy(transaction, {
    get(_target, name) {
      const owner = name in queries ? queries : transaction
      const member: unknown = Reflect.get(owner, name, owner)
      return typeof member === 'function' ? member.bind(owner) : member
    },
  })
}

const requests = new AsyncLocalStorage<{ first: Promise<Found> | undefined }>()

/** However late the body of a request comes, its key is judged by the answer that came before it. */
function withFirstAnswer(database: Database): Database {
  return lookingUp(database, (_asked, honest) => {
    const request = requests.getStore()
    if (!request) return honest()
    request.first ??= honest()
    return request.first
  })
}

/** So that lookups of one request are known as such. */
export function tellRequestsApart(server: Server): void {
  server.prependListener('request', () => requests.enterWith({ first: undefined }))
}
