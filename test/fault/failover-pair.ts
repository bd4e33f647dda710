import { setTimeout as pause } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'
import { type DatabaseProxy, startProxy } from './proxy.ts'
import type { Random } from './random.ts'

const FOLLOWS_WITHIN_MS = 30_000
const POLL_EVERY_MS = 20

/** A primary and a standby that takes its place, over and over, at two addresses that stay the same. */
export interface FailoverPair {
  /** Both addresses, for whoever finds out by itself which of them is the primary. */
  url: string
  /** The standby hears nothing any more while `behind` lasts; then the primary is fenced and gone, the standby promoted. */
  failOver(behind: () => Promise<unknown>): Promise<void>
  /** Another standby, which has caught up when this comes back. */
  addStandby(): Promise<void>
  /** How often everybody was signed out, and told so in the audit log, because revocations were lost. */
  restores(): Promise<number>
  close(): Promise<void>
}

/** Synchronous: nothing is answered before the standby has it. */
export async function startFailoverPair(
  random: Random,
  { synchronous }: { synchronous: boolean },
): Promise<FailoverPair> {
  let primary = await startPostgres({ durable: true })
  let standby: PostgresServer | undefined
  const places: (PostgresServer | undefined)[] = [primary, undefined]
  const ways: DatabaseProxy[] = []
  const way = async (port: () => number) => {
    const proxy = await startProxy({ port, random })
    ways.push(proxy)
    return proxy
  }
  const first = await way(() => places[0]?.port ?? 0)
  const second = await way(() => places[1]?.port ?? 0)
  const replication = await way(() => primary.port)
  const { username, password, pathname } = new URL(primary.url())

  return {
    url: `postgres://${username}:${password}@127.0.0.1:${first.port},127.0.0.1:${second.port}${pathname}`,
    async addStandby() {
      const from = `host=127.0.0.1 port=${replication.port} user=${username} password=${password}`
      standby = await primary.makeStandby({ primary_conninfo: `${from} application_name=standby` })
      places[places.indexOf(undefined)] = standby
      await untilItFollows(primary, synchronous)
    },
    async failOver(behind) {
      if (!standby) throw new Error('There is no standby.')
      const place = places.indexOf(primary)
      replication.set({ stalled: true })
      await behind()
      // Fenced first: a server whose postmaster is killed shows commits that no standby has until its last process is gone.
      ways[place]?.set({ refusing: true })
      ways[place]?.cut()
      await primary.kill()
      replication.cut() // what was on its way is lost
      replication.set({})
      ways[place]?.set({})
      places[place] = undefined
      await primary.close()
      await standby.promote()
      primary = standby
      standby = undefined
    },
    restores: () => restoresOf(primary.url()),
    async close() {
      await Promise.all(ways.map((proxy) => proxy.close()))
      await standby?.close()
      await primary.close()
    },
  }
}

async function untilItFollows(primary: PostgresServer, synchronous: boolean): Promise<void> {
  await askOnce(primary.url())(async (sql) => {
    if (synchronous) await sql`alter system set synchronous_standby_names = 'standby'`
    await sql`select pg_reload_conf()`
    for (const start = performance.now(); performance.now() - start < FOLLOWS_WITHIN_MS; ) {
      const [row] = await sql`select "state", "sync_state" from pg_stat_replication`
      if (row?.['state'] === 'streaming' && row['sync_state'] === (synchronous ? 'sync' : 'async')) return
      await pause(POLL_EVERY_MS)
    }
    throw new Error('The standby does not follow.')
  })
}

/** As the audit log of one organization has it. */
const restoresOf = (url: string) =>
  askOnce(url)(async (sql) => {
    const [row] = await sql`select count(*)::int as "times" from "auditEvent" where "action" = 'database.restored'
      and "organizationId" = (select min("id") from "organization" where "kind" = 'ORGANIZATION')`
    return Number(row?.['times'])
  })
