import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import postgres, { type Sql } from 'postgres'
import { readConfig } from '../../server/config.ts'
import { bringUpTo, MIGRATIONS } from '../../server/db/migrate.ts'
import { statementOf, stepsOf } from '../../server/db/migration-steps.ts'
import { openDatabase } from '../../server/db/open.ts'
import { PORTAL_SECRET } from '../fault/cluster.ts'
import { temporaryFolder } from '../fault/processes.ts'
import { PORTAL } from '../fault/replica.ts'
import { startPostgres } from '../support/postgres/postgres-server.ts'
import { type LocksHeld, watchLocks } from './locks-held.ts'
import { fillOldDatabase, isUpgraded } from './old-rows.ts'
import { type ProbeResult, startProbes } from './probes.ts'

const USAGE = `npm run test:migrations [-- [--rows N] [--planted]]
  --rows     keys and audit events, 1,000,000 by default
  --planted  all migrations in one transaction, as it was once: then locks are held for long`

const FROM_VERSION = 2
const KILLED_AT_VERSION = 7
const MOST_MS = 1000

const say = (words: string) => process.stdout.write(`${words}\n`)
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) process.on(signal, () => process.exit(code))
process.exit((await main()) ? 0 : 1)

/** Upgrades a large old database on PostgreSQL, with a kill in the middle, while others use it. */
async function main(): Promise<boolean> {
  const { values } = parseArgs({
    options: { rows: { type: 'string' }, planted: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help) {
    say(USAGE)
    return true
  }
  const { planted = false } = values
  const rows = Number(values.rows ?? 1_000_000)
  const { env, sql, statements, close } = await startOld(rows)
  say(`A database of version ${FROM_VERSION} with ${rows.toLocaleString('en')} keys and as many audit events.`)

  const [locks, probes, began] = [watchLocks(env.DATABASE_URL), startProbes(env.DATABASE_URL), performance.now()]
  if (planted) await migrateInOneTransaction(sql, statements)
  else {
    await migrateByCommand(env, { killAtVersion: KILLED_AT_VERSION })
    await migrateByCommand(env)
  }
  say(`Upgraded in ${((performance.now() - began) / 1000).toFixed(1)} s${planted ? '' : ', killed once in between'}.`)
  const [probed, held] = [await probes.stop(), await locks.stop()]
  const isWhole = planted || (await isUpgraded(sql, rows))
  if (!isWhole) say('Not every row was changed as it should.')
  await close()
  return report(probed, held) && isWhole
}

/** A server with an old database, and what its upgrade would be in one transaction. */
async function startOld(rows: number) {
  const folder = temporaryFolder()
  const server = await startPostgres({ durable: true, settings: { shared_buffers: '256MB', max_wal_size: '4GB' } })
  const env = { DATABASE_URL: server.url(), PORTAL_SECRET, DATA_DIR: folder.path }
  const database = await openDatabase(readConfig(env))
  await database.transaction((db) => bringUpTo(db, database, FROM_VERSION))
  const steps = MIGRATIONS.slice(FROM_VERSION).flatMap((each) => stepsOf(each, database.columnTypes))
  await database.close()
  const sql = postgres(server.url(), { max: 1, onnotice: () => {} })
  await fillOldDatabase(sql, rows)
  return {
    env,
    sql,
    statements: steps.map(statementOf),
    async close() {
      await sql.end()
      await server.close()
      folder.remove()
    },
  }
}

/** Whether nobody has failed or waited for long. */
function report({ statements, failed, slowestMs, slowest }: ProbeResult, { lock, transaction }: LocksHeld): boolean {
  say(`The longest lock on a table: ${Math.round(lock.ms)} ms (${lock.what}).`)
  say(`The longest transaction: ${Math.round(transaction.ms)} ms (${transaction.what}).`)
  say(
    `${statements} statements of others, ${failed.length} failed; the slowest took ${Math.round(slowestMs)} ms (${slowest}).`,
  )
  for (const each of new Set(failed)) say(`  ${each}`)
  return failed.length === 0 && Math.max(lock.ms, transaction.ms, slowestMs) < MOST_MS
}

/** `portal migrate`; killed as soon as it says that it has come to this version. */
async function migrateByCommand(
  env: Record<string, string>,
  { killAtVersion }: { killAtVersion?: number } = {},
): Promise<void> {
  const [entry = ''] = PORTAL
  const child = spawn(process.execPath, [entry, 'migrate'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  process.on('exit', () => child.kill('SIGKILL'))
  createInterface(child.stderr).on('line', (line) => {
    say(`  ${line}`)
    if (killAtVersion !== undefined && line.includes(`to version ${killAtVersion} `) && line.includes('rows'))
      child.kill('SIGKILL')
  })
  const [code] = await once(child, 'close')
  if (code !== 0 && killAtVersion === undefined) throw new Error('portal migrate has failed.')
}

async function migrateInOneTransaction(sql: Sql, statements: string[]): Promise<void> {
  await sql.begin(async (transaction) => {
    for (const statement of statements) await transaction.unsafe(statement)
  })
}
