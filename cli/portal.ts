import { type Config, readConfig } from '../server/config.ts'
import type { Database } from '../server/db/database.ts'
import { openWithLedger } from '../server/ledger/open-ledger.ts'
import type { Clock } from '../server/lib/clock.ts'
import { createLog } from '../server/lib/log.ts'
import { print, printJson, type Terminal } from './terminal.ts'

/** What a command works with: the same settings and the same database as the server, which may be running. */
export interface Portal {
  config: Config
  database: Database
  now: Clock
  /** The migrations that ran. */
  applied: string[]
  /** The path of the copy that was made before. */
  copy: string | undefined
}

interface Options {
  /** The command is there to decide about a server of PostgreSQL that the ledger says was replaced. */
  acceptsOldPrimary?: boolean
  /** The command is there to upgrade the database. Every other one refuses one that is older. */
  upgrade?: 'with copy' | 'without copy'
}

/** Opens the database with its ledger, and always closes both. */
export async function withPortal<Result>(
  terminal: Terminal,
  work: (portal: Portal) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const config = readConfig(terminal.env)
  const { database, applied, copy } = await openWithLedger(config, {
    ...options,
    log: warningsOn(terminal),
    onUpgrade: (words) => print(terminal.stderr, `${words}\n`),
  })
  try {
    return await work({ config, database, now: database.now, applied, copy })
  } finally {
    await database.close().catch(() => undefined) // the work is done, and its answer may contain a secret
  }
}

/** What the operator should know beside the answer, as sentences: that the database was restored, or the ledger is new. */
const warningsOn = ({ stderr, json }: Terminal) =>
  createLog('warn', {
    write(line) {
      const { msg, heldSince } = JSON.parse(line) as { msg: string; heldSince?: string } // a line of the log
      if (heldSince !== undefined) return // the commands about keys say it themselves
      const warning = `${msg.charAt(0).toUpperCase()}${msg.slice(1)}.`
      if (json) printJson(stderr, { warning })
      else print(stderr, `${warning}\n`)
    },
  })
