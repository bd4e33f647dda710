import { type Config, readConfig } from '../server/config.ts'
import type { Database } from '../server/db/database.ts'
import { migrate } from '../server/db/migrate.ts'
import { openDatabase } from '../server/db/open.ts'
import type { Clock } from '../server/lib/clock.ts'
import type { Terminal } from './terminal.ts'

/** What a command works with: the same settings and the same database as the server, which may be running. */
export interface Portal {
  config: Config
  database: Database
  now: Clock
  /** The migrations that ran. */
  applied: string[]
}

/** Opens the database, migrates it, and always closes it. */
export async function withPortal<Result>(
  { env }: Terminal,
  work: (portal: Portal) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(env)
  const database = await openDatabase(config)
  try {
    const { applied } = await migrate(database)
    return await work({ config, database, now: database.now, applied })
  } finally {
    await database.close().catch(() => undefined) // the work is done, and its answer may contain a secret
  }
}
