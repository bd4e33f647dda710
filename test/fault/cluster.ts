import postgres, { type Sql } from 'postgres'
import { generateApiKey } from '../../server/api-keys/generate.ts'
import { readConfig } from '../../server/config.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { insertOrganization } from '../../server/organizations/organization.ts'
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts'
import { createLedgerFolder, type LedgerFolder, type Ledgers } from './ledgers.ts'
import { type DatabaseProxy, startProxy } from './proxy.ts'
import type { Random } from './random.ts'
import { createReplica, PORTAL, type Replica } from './replica.ts'

export const PORTAL_SECRET = 'of the fault runs, which keep nothing secret'

/** A replica with its way to the database. */
export interface Member extends Replica {
  proxy: DatabaseProxy
  /** From now on it reaches this server, which has the same password; its connections are cut. */
  moveTo(server: Pick<PostgresServer, 'port'>): void
}

/** An organization, and the secret of a key that is never revoked. */
export interface Organization {
  id: string
  secret: string
}

/** Replicas as real processes on one real PostgreSQL, each by a way of its own. */
export interface Cluster {
  postgres: PostgresServer
  replicas: Member[]
  organizations: Organization[]
  /** Straight to the database, past everything that is planted. */
  sql: Sql
  ledgers: LedgerFolder
  troubles(): string[]
  close(): Promise<void>
}

interface Options {
  random: Random
  replicas?: number
  organizations?: number
  /** What a replica runs in place of the portal; the database is up, and no replica is. */
  args?: (server: PostgresServer) => Promise<string[]>
  env?: (place: number) => Record<string, string>
  ledgers?: Ledgers
  /** They use a role that may not ask which server it is. */
  isUnprivileged?: boolean | undefined
  /** The settings of PostgreSQL. */
  settings?: Record<string, string>
  /** The folder of another PostgreSQL than npm's. */
  binaries?: string | undefined
}

export async function startCluster(options: Options): Promise<Cluster> {
  const { random, replicas: count = 3, organizations: organizationCount = 8, args, env = () => ({}) } = options
  const ledgers = createLedgerFolder(options.ledgers ?? 'own')
  const server = await startPostgres({ durable: true, settings: options.settings ?? {}, binaries: options.binaries })
  const proxies: DatabaseProxy[] = []
  const replicas: Member[] = []
  const sql = postgres(server.url(), { max: 2, onnotice: () => {} })
  const close = async () => {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await Promise.all(proxies.map((proxy) => proxy.close()))
    await sql.end({ timeout: 0 })
    await server.close()
    ledgers.remove()
  }
  try {
    const organizations = await seed({ DATABASE_URL: server.url(), PORTAL_SECRET }, organizationCount)
    const user = options.isUnprivileged ? await makeUnprivilegedRole(sql, server) : 'postgres'
    const program = args ? await args(server) : PORTAL
    for (let place = 0; place < count; place++) {
      let target: Pick<PostgresServer, 'port'> = server
      const proxy = await startProxy({ port: () => target.port, random })
      const moveTo: Member['moveTo'] = (server) => {
        target = server
        proxy.cut()
      }
      proxies.push(proxy)
      const url = server.url().replace(`:${server.port}/`, `:${proxy.port}/`).replace('//postgres:', `//${user}:`)
      const variables = { DATABASE_URL: url, PORTAL_SECRET, LEDGER: ledgers.path(place), ...env(place) }
      replicas.push({ ...createReplica(`replica ${place + 1}`, program, variables), proxy, moveTo })
    }
    await Promise.all(replicas.map((replica) => replica.start()))
    const troubles = () => replicas.flatMap((replica) => replica.troubles())
    return { postgres: server, replicas, organizations, sql, ledgers, troubles, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Brings an empty database up to date, and makes organizations with a key each. */
export async function seed(env: Record<string, string>, count: number): Promise<Organization[]> {
  const database = await openDatabase(readConfig(env))
  try {
    await migrate(database)
    const { now } = database
    const made: Organization[] = []
    for (let place = 1; place <= count; place++) {
      const { id } = await database.transaction((db) =>
        insertOrganization(db, now(), { kind: 'ORGANIZATION', name: `Fleet ${place}`, apiKeysEnabled: true }),
      )
      const caller = { kind: 'SYSTEM', organizationId: id, role: 'ADMIN' } as const
      const { secret } = await generateApiKey({ caller, reads: database.read, database, now }, { label: 'First key' })
      made.push({ id, secret })
    }
    return made
  } finally {
    await database.close()
  }
}

async function makeUnprivilegedRole(sql: Sql, server: PostgresServer): Promise<string> {
  const { password } = new URL(server.url())
  await sql.unsafe(`create role portal login password '${password}'; grant all on all tables in schema public to portal;
    revoke execute on function pg_control_system() from public`)
  return 'portal'
}
