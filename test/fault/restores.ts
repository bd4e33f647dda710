import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from 'postgres'
import type { PostgresServer } from '../support/postgres/postgres-server.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'
import type { Cluster } from './cluster.ts'
import { temporaryFolder } from './processes.ts'
import { startProxy } from './proxy.ts'
import type { Random } from './random.ts'

const POLL_EVERY_MS = 20

/** What brings the past back. */
export interface Backup {
  restore(): Promise<void>
  /** Removes what was made for the backup. */
  close?(): Promise<void>
}

/** Takes a backup of the running portal. */
export type BackUp = (cluster: Cluster, random: Random) => Promise<Backup>

/** As `pg_restore --clean --single-transaction` does it, under the running portal. */
export const logicalCopy: BackUp = async ({ sql }) => {
  const tables = await tablesOf(sql)
  await sql`create schema backup`
  await sql.begin('isolation level repeatable read', async (sql) => {
    for (const name of tables) await sql`create table backup.${sql(name)} as select * from public.${sql(name)}`
  })
  const putBack = () =>
    sql.begin(async (sql) => {
      await sql`truncate ${sql(tables)}`
      for (const name of parentsFirst(tables))
        await sql`insert into public.${sql(name)} select * from backup.${sql(name)}`
    })
  return {
    restore: async () => {
      while (await isDeadlock(putBack())); // it locks all tables at once, beside transactions that lock some
    },
  }
}

/** Whether it was rolled back because of one, as an operator would see it, and try again. */
export const isDeadlock = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    (error) => {
      if (error?.code !== '40P01' && !String(error?.stderr).includes('deadlock detected')) throw error
      return true
    },
  )

/** The folder of a stopped server, copied and copied back: the same system on the same timeline. */
export const copiedFolder: BackUp = async ({ postgres }) => {
  const folder = temporaryFolder()
  const [data, copy] = [join(postgres.folder, 'data'), join(folder.path, 'data')]
  await postgres.stop()
  execFileSync('cp', ['-a', data, copy])
  await postgres.start()
  return {
    async restore() {
      await postgres.stop()
      execFileSync('rm', ['-rf', data])
      execFileSync('cp', ['-a', copy, data])
      await postgres.start()
    },
    close: async () => folder.remove(),
  }
}

/** A base backup and archived WAL, up to a point in time: a new timeline, on another port. */
export const pointInTime: BackUp = async ({ postgres, replicas, sql }) => {
  const target = `p${process.hrtime.bigint()}`
  const restored = await postgres.makeStandby({ recovery_target_name: target, recovery_target_action: 'promote' })
  await sql`select pg_create_restore_point(${target})`
  await untilPrimary(restored)
  return {
    async restore() {
      await postgres.stop('immediate')
      for (const replica of replicas) replica.moveTo(restored)
    },
    close: restored.close,
  }
}

/** A standby that is behind takes over, and all but the first replica follow it; the old primary goes on answering. */
export const oldPrimary: BackUp = async ({ postgres, replicas }, random) => {
  const way = await startProxy({ port: () => postgres.port, random })
  const { username, password } = new URL(postgres.url())
  const from = `host=127.0.0.1 port=${way.port} user=${username} password=${password} application_name=standby`
  const standby = await postgres.makeStandby({ primary_conninfo: from })
  way.set({ stalled: true })
  return {
    async restore() {
      way.cut()
      await standby.promote()
      for (const replica of replicas.slice(1)) replica.moveTo(standby)
    },
    async close() {
      await way.close()
      await standby.close()
    },
  }
}

async function untilPrimary(server: PostgresServer): Promise<void> {
  await askOnce(server.url())(async (sql) => {
    for (;;) {
      const [row] = await sql`select pg_is_in_recovery() as "standby"`
      if (row?.['standby'] === false) return
      await pause(POLL_EVERY_MS)
    }
  })
}

export async function tablesOf(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select tablename as "name" from pg_tables where schemaname = 'public'`
  return rows.map(({ name }) => name)
}

/** Other tables refer to these. */
const PARENTS = ['organization', 'user', 'apiKey', 'device']

const parentsFirst = (tables: string[]) => [...tables].sort((a, b) => rankOf(a) - rankOf(b))

const rankOf = (table: string) => (PARENTS.indexOf(table) + PARENTS.length + 1) % (PARENTS.length + 1)
