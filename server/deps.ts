import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'

/** What one Argon2id hash takes: KiB of memory, passes over it, threads. */
export interface PasswordCost {
  memory: number
  passes: number
  parallelism: number
}

/** What the server is made of; `main.ts` brings the real ones, tests bring a clock and a folder of their own. */
export interface Deps {
  config: Config
  database: Database
  now: Clock
  log: Log
  /** Where the built web interface is; undefined: only the API is served. */
  webDir: string | undefined
  /** Of new passwords; that of production unless given. A stored hash names its own. */
  passwordCost?: PasswordCost
}
