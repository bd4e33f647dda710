import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../../server/config.ts'
import { openWithLedger } from '../../server/ledger/open-ledger.ts'
import { createLog } from '../../server/lib/log.ts'
import { startPostgres } from '../support/postgres/postgres-server.ts'
import { fillBigWorld } from '../support/world/big-world.ts'
import { PORTAL_SECRET } from '../support/world/storage.ts'
import { bareCopy, bareInsert } from './bare.ts'
import { type Ran, runMeasured } from './measured.ts'

const USAGE = `npm run test:backup [-- [--devices N] [--keys N] [--events N]]
Moves a big portal from SQLite to PostgreSQL and back by backup and restore, beside bare inserts and COPY of the same rows.`

const OPTIONS = {
  devices: { type: 'string' },
  keys: { type: 'string' },
  events: { type: 'string' },
  help: { type: 'boolean' },
} as const
const LEAST_PART = 0.5

const say = (words: string) => void process.stdout.write(`${words}\n`)

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS })
  if (values.help) {
    say(USAGE)
    return 0
  }
  const sizes = {
    devices: Number(values.devices ?? 1_000_000),
    keys: Number(values.keys ?? 100_000),
    auditEvents: Number(values.events ?? 1_000_000),
    people: 1000,
  }
  const folder = mkdtempSync(join(tmpdir(), 'portal-trial-'))
  const server = await startPostgres({ durable: true, settings: { max_wal_size: '4GB', shared_buffers: '256MB' } })
  try {
    return (await trial(folder, await server.createDatabase('portal'), await server.createDatabase('bare'), sizes))
      ? 0
      : 1
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function trial(
  folder: string,
  url: string,
  bareUrl: string,
  sizes: Parameters<typeof fillBigWorld>[1],
): Promise<boolean> {
  const env = (name: string) => ({ DATA_DIR: join(folder, name) })
  const onPostgres = { DATABASE_URL: url, PORTAL_SECRET, LEDGER: join(folder, 'ledger.db') }
  const [first, second] = [join(folder, '1.backup'), join(folder, '2.backup')]
  await fill(env('first'), sizes)
  say(`filled: portal.db has ${megabytes(statSync(join(folder, 'first', 'portal.db')).size)}\n`)

  const rows: [string, Ran][] = []
  const run = async (name: string, args: string[], variables: Record<string, string>) => {
    const ran = await runMeasured([...args, '--json'], variables)
    rows.push([name, ran])
    say(`${name.padEnd(34)} ${lineOf(ran)}`)
    return ran
  }
  await run('backup of SQLite', ['backup', first], env('first'))
  say(`the file has ${megabytes(statSync(first).size)}`)
  await run('verify', ['backup', 'verify', first, '--scratch', folder], {})
  const toPostgres = await run('restore into PostgreSQL', ['restore', first], onPostgres)
  await run('backup of PostgreSQL', ['backup', second], onPostgres)
  const toSqlite = await run('restore into SQLite', ['restore', second], env('second'))
  const insert = await bareInsert(second, join(folder, 'bare'))
  say(`${'bare insert into SQLite'.padEnd(34)} ${lineOf(insert)}`)
  const copy = await bareCopy(second, bareUrl, folder)
  say(`${'bare COPY into PostgreSQL'.padEnd(34)} ${lineOf(copy)}\n`)

  const parts = { SQLite: rateOf(toSqlite) / rateOf(insert), PostgreSQL: rateOf(toPostgres) / rateOf(copy) }
  for (const [kind, part] of Object.entries(parts))
    say(`restore into ${kind}: ${part.toFixed(2)} times the rate of bare rows (at least ${LEAST_PART} wanted)`)
  return Object.values(parts).every((part) => part >= LEAST_PART) && rows.every(([, { code }]) => code === 0)
}

async function fill(env: Record<string, string>, sizes: Parameters<typeof fillBigWorld>[1]): Promise<void> {
  const { database } = await openWithLedger(readConfig(env), { log: createLog('silent', process.stderr) })
  await fillBigWorld(database, sizes)
  await database.close()
}

const rateOf = ({ rows, seconds }: Pick<Ran, 'rows' | 'seconds'>) => rows / seconds
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
const lineOf = ({ rows, seconds, peakBytes }: Pick<Ran, 'rows' | 'seconds'> & { peakBytes?: number }) =>
  `${rows.toLocaleString('en-US')} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds).toLocaleString('en-US')} a second${peakBytes === undefined ? '' : `, at most ${megabytes(peakBytes)} of memory`}`

process.exitCode = await main(process.argv.slice(2))
