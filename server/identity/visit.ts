import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Seal } from '../lib/seal.ts'
import type { Passwords } from './password.ts'
import type { Throttle } from './throttle.ts'

/** How emails with links are sent: where the links begin, and what hides them until they are sent. */
export interface LinkMail {
  origin: string
  seal: Seal
}

/** Somebody who wants in and is nobody yet: where they come from, and what lets them in. */
export interface Visit {
  database: Database
  now: Clock
  throttle: Throttle
  passwords: Passwords
  /** The network address. */
  address: string
  userAgent: string
  /** Where the portal sends email. */
  mail?: LinkMail | undefined
}
