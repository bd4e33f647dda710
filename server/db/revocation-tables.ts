/** What a revocation takes away: from its moment on the subject has no access, or less of it. */
export type RevocationKind =
  /** A key, by the hash of its secret in hexadecimal. */
  | 'KEY'
  /** The membership of a person in the organization. */
  | 'MEMBERSHIP'
  /** A person's role as an Admin of the organization. */
  | 'ADMIN_ROLE'
  /** A person's place among the vendor's support staff. */
  | 'SUPPORT'
  /** The password that a person had until then. */
  | 'PASSWORD'
  /** Nothing: from here on the database has this incarnation. The subject is the server of PostgreSQL. */
  | 'INCARNATION'
  /** All keys, until the revocations in the subject are there (ledger/held.ts), or a person decides. */
  | 'HELD'
  /** Nothing: keys are accepted again. */
  | 'RELEASED'

/** Rows are only ever added: the ledger has the same, outside of the database. */
export interface RevocationTable {
  /** Rises by one with each revocation, in the order of their commits. */
  sequence: number
  incarnation: number
  kind: RevocationKind
  /** Empty where it concerns no organization. */
  organizationId: string
  subject: string
  /** When access ended; for a key 0 if it was revoked, or else its earlier expiration. */
  endsAt: number
}

/** The incarnation of a database that was restored, until it has been compared with a ledger and gets another one. */
export const RESTORED = -1

/** One row. */
export interface RevocationStateTable {
  /** The portal that database and ledger belong to; empty: not started since the ledger was introduced. */
  installation: string
  /** A number chosen at random each time that the database turns out to be restored, or another server's. */
  incarnation: number
  /** The sequence of the last revocation. */
  sequence: number
  /** The server of PostgreSQL and its timeline; empty on SQLite, or where it cannot be asked. */
  server: string
  /** Since when no key is accepted, because revocations may be missing; null: keys are accepted. */
  heldSince: number | null
}
