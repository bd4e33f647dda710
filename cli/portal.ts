import { type Config, readConfig } from '../server/config.ts'
import type { Database } from '../server/db/database.ts'
import { openWithLedger } from '../server/ledger/open.ts'
import type { Clock } from '../server/lib/clock.ts'
import { createLog } from '../server/lib/log.ts'
import type { Terminal } from './terminal.ts'

/** What a command works with: the same settings and the same database as the server, which may be running. */
export interface Portal {
  config: Config
  database: Database
  now: Clock
  /** The migrations that ran. */
  applied: string[]
}

interface Options {
  /** The command is there to decide about a server of PostgreSQL that the ledger says was replaced. */
  acceptsOldPrimary?: boolean
}

/** Opens the database with its ledger, migrates it, and always closes both. */
export async function withPortal<Result>(
  { env, stderr }: Terminal,
  work: (portal: Portal) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const config = readConfig(env)
  const { database, applied } = await openWithLedger(config, { ...options, log: createLog('silent', stderr) })
  try {
    return await work({ config, database, now: database.now, applied })
  } finally {
    await database.close().catch(() => undefined) // the work is done, and its answer may contain a secret
  }
}
