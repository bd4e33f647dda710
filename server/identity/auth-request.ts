import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Encryption } from '../lib/encryption.ts'
import type { Passwords } from './password.ts'
import type { Throttle } from './throttle.ts'

/** How emails with links are sent: the URL that links begin with, and what encrypts them until they are sent. */
export interface LinkMail {
  origin: string
  encryption: Encryption
}

/** A request of somebody who is not signed in yet: where it comes from, and what checks their password. */
export interface AuthRequest {
  database: Database
  now: Clock
  throttle: Throttle
  passwords: Passwords
  address: string
  userAgent: string
  /** Present where the portal sends email. */
  mail?: LinkMail | undefined
}
