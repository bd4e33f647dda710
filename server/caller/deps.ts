import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { ParentCounts } from '../lib/limiter.ts'
import type { Log } from '../lib/log.ts'
import type { ValkeyTimeouts } from '../lib/valkey.ts'
import type { Watchdog } from '../lib/watchdog.ts'
import type { WorkerLink } from '../workers/link.ts'

/** The cost of one Argon2id hash: KiB of memory, passes over it, threads. */
export interface PasswordCost {
  memory: number
  passes: number
  parallelism: number
}

export type DeriveInput = { message: Buffer; nonce: Buffer; tagLength: number } & PasswordCost
export type Derive = (input: DeriveInput) => Promise<Buffer>

/** Threads for passwords only, so that they do not occupy libuv's threads, which file and DNS operations need. */
export interface PasswordThreads {
  derive: Derive
  close(): Promise<void>
}

/** Settings that tests change. */
export interface Tuning {
  /** For new passwords; a stored hash contains its own. */
  passwordCost?: PasswordCost
  /** May be shared by several servers, so the creator closes them. */
  passwordThreads?: PasswordThreads | undefined
  /** The wait after the first wrong password, the second and so on. */
  signInWaitsMs?: readonly number[]
  /** The waits of a source, whatever the account. */
  sourceWaitsMs?: readonly number[]
  /** The wait after the first new account from a source, the second and so on. */
  signUpWaitsMs?: readonly number[]
  /** How often failed sign-ins are written. */
  signInFailuresFlushMs?: number
  /** A caller has `RATE_LIMIT` times as many requests at once, and again after this time. */
  burstSeconds?: number
  valkeyTimeouts?: Partial<ValkeyTimeouts>
  /** How often counted calls are written. */
  usageFlushMs?: number
  /** How long after its refusal an unknown key is looked up among canary keys. */
  canaryCheckMs?: number
  /** How long the server with the public keys of senders has for its answer. */
  leakKeysAnswerWithinMs?: number
  /** How often background jobs run, plus or minus a sixth. */
  jobsEveryMs?: number
  /** How often it is checked whether a backup is due. */
  backupCheckMs?: number
}

/** The state of the ledger, for metrics. */
export interface LedgerState {
  /** How often it could not be written or read. */
  readonly failures: number
  /** By how many revocations it is behind the database, as of the last comparison and the writes since then. */
  readonly behind: number
  /** Since when no key is accepted, as of the last comparison; null: keys are accepted. */
  readonly heldSince: number | null
}

/** The state of the scheduled backups, for metrics. */
export interface BackupState {
  /** The time of the last backup that was proven to be restorable, by whichever process; null: none yet. */
  readonly verifiedAt: number | null
  /** How often a scheduled backup of this process has failed. */
  readonly failures: number
}

/** What the server depends on. `main.ts` passes the real dependencies; tests pass a clock and a folder of their own. */
export interface Deps extends Tuning {
  config: Config
  database: Database
  /** Absent: nothing is known outside of the database. */
  ledger?: LedgerState
  /** Absent: no backups by schedule. */
  backups?: BackupState | undefined
  now: Clock
  log: Log
  /** Where the built web interface is; undefined: only the API is served. */
  webDir: string | undefined
  /** Absent: this process is no worker, and counts limits for itself. */
  parentCounts?: ParentCounts | undefined
  /** Absent: the event loop is not watched. */
  watchdog?: Watchdog
  /** Absent: this process serves alone. */
  link?: WorkerLink | undefined
  /** The process is about to stop: it answers, but should get no new callers. */
  isStopping?: () => boolean
}
