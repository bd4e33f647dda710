import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import type { ValkeyTimeouts } from './lib/valkey.ts'
import type { Watchdog } from './lib/watchdog.ts'

/** What one Argon2id hash takes: KiB of memory, passes over it, threads. */
export interface PasswordCost {
  memory: number
  passes: number
  parallelism: number
}

export type DeriveInput = { message: Buffer; nonce: Buffer; tagLength: number } & PasswordCost
export type Derive = (input: DeriveInput) => Promise<Buffer>

/** Threads for passwords alone: those of libuv, which files and names wait for, have nothing to do with them. */
export interface PasswordThreads {
  /** At most so many at once; one more would wait for none, so nobody asks for more. */
  readonly size: number
  derive: Derive
  close(): Promise<void>
}

/** What is as in production unless a test says otherwise. */
export interface Tuning {
  /** Of new passwords; a stored hash names its own. */
  passwordCost?: PasswordCost
  /** Of more than this server, so whoever brings them closes them. */
  passwordThreads?: PasswordThreads | undefined
  /** How long to wait after the first wrong password, the second and so on. */
  signInWaitsMs?: readonly number[]
  /** The same for a source, whatever the accounts. */
  sourceWaitsMs?: readonly number[]
  /** How long to wait after the first new account from a source, the second and so on. */
  signUpWaitsMs?: readonly number[]
  /** How often failed sign-ins are written down. */
  signInFailuresFlushMs?: number
  /** A caller has `RATE_LIMIT` times as many requests at once, and again after this time. */
  burstSeconds?: number
  valkeyTimeouts?: Partial<ValkeyTimeouts>
  /** How often counted calls are written down. */
  usageFlushMs?: number
  /** How often background jobs are done, give or take a sixth. */
  jobsEveryMs?: number
}

/** What the server is made of; `main.ts` brings the real ones, tests bring a clock and a folder of their own. */
export interface Deps extends Tuning {
  config: Config
  database: Database
  now: Clock
  log: Log
  /** Where the built web interface is; undefined: only the API is served. */
  webDir: string | undefined
  /** Absent: nobody watches the event loop. */
  watchdog?: Watchdog
}
