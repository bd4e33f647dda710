import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Passwords } from './password.ts'
import type { Throttle } from './throttle.ts'

/** Somebody who wants in and is nobody yet: where they come from, and what lets them in. */
export interface Visit {
  database: Database
  now: Clock
  throttle: Throttle
  passwords: Passwords
  /** The network address. */
  address: string
  userAgent: string
}
