import { AppError } from '../lib/app-error.ts'
import type { Database } from './database.ts'
import { jsonRows } from './json-rows.ts'
import { deferToCommit } from './locks.ts'
import type { RevocationTable } from './revocation-tables.ts'
import type { Db } from './tables.ts'

/** What ends, before it has its place in the order of revocations. */
export type NewRevocation = Omit<RevocationTable, 'sequence' | 'incarnation'>

/** What became of recorded revocations. Complete once their transaction has returned. */
export interface Receipt {
  /** They are on record outside of the database too, so a restored database does not bring back what they ended. */
  readonly durable: boolean
}

interface Recorded extends Receipt {
  durable: boolean
  rows: RevocationTable[]
}

const recorded = new WeakMap<Db, Recorded[]>()
const assumed = new WeakMap<Db, boolean>()

const COLUMNS = {
  place: 'integer',
  kind: 'text',
  organizationId: 'text',
  subject: 'text',
  endsAt: 'integer',
} as const

/**
 * Records what this transaction ends. The counter is raised together with the commit, and stays locked until then: so a
 * process that reads a sequence also sees the effect of every revocation up to it.
 */
export async function recordRevocations(db: Db, revocations: readonly NewRevocation[]): Promise<Receipt> {
  const receipt: Recorded = { durable: revocations.length === 0 || (assumed.get(db) ?? false), rows: [] }
  if (revocations.length === 0) return receipt
  const { length } = revocations
  const raised = db.updateTable('revocationState').set((eb) => ({ sequence: eb('sequence', '+', length) }))
  await deferToCommit(db, raised)
  await deferToCommit(db, insertion(db, revocations), (rows) => {
    for (const row of rows) receipt.rows.push(row) // there may be more than a call has arguments
  })
  recorded.set(db, [...(recorded.get(db) ?? []), receipt])
  return receipt
}

/** For a transaction that is answered before its commit: whether its receipts say until then that they are durable. */
export const assumeDurable = (db: Db, durable: boolean) => void assumed.set(db, durable)

/** Whether this transaction revokes anything, and whether what was assumed of it came true; once it has returned. */
export function endedBy(db: Db): { any: boolean; asAssumed: boolean } {
  const receipts = recorded.get(db) ?? []
  return { any: receipts.length > 0, asAssumed: receipts.every(({ durable }) => durable === assumed.get(db)) }
}

/** What was recorded so far; call the result when everything since then was rolled back. */
export function revocationsSoFar(db: Db): () => void {
  const before = recorded.get(db) ?? []
  return () => void recorded.set(db, before)
}

/** Without a state, in a database that is being restored, it fails: a row has to have a sequence. */
function insertion(db: Db, revocations: readonly NewRevocation[]) {
  const { length } = revocations
  const given = revocations.map((revocation, place) => ({ ...revocation, place }))
  const rows = db
    .selectFrom(jsonRows<(typeof given)[number], 'given'>(db, COLUMNS, given, 'given'))
    .leftJoin('revocationState as state', (join) => join.onTrue())
    .select(({ eb, ref }) => [
      eb(eb('state.sequence', '-', length - 1), '+', ref('given.place')).as('sequence'),
      'state.incarnation',
      'given.kind',
      'given.organizationId',
      'given.subject',
      'given.endsAt',
    ])
  return db
    .insertInto('revocation')
    .columns(['sequence', 'incarnation', 'kind', 'organizationId', 'subject', 'endsAt'])
    .expression(rows)
    .returningAll()
}

/** What became of revocations outside of the database. Superseded: they were committed in one that has been replaced. */
export type Logged = 'added' | 'superseded' | 'not durable'

/** A record of revocations outside of the database. */
export interface RevocationLog {
  /** Whether it outlives this process. */
  readonly isDurable: boolean
  /** Returns once they are on disk, or that has failed. */
  add(rows: readonly RevocationTable[]): Promise<Logged>
}

/**
 * The database, with every recorded revocation also in the log before its transaction returns. While its answers are not
 * believed, nothing is written.
 */
export function loggingRevocations(database: Database, log: RevocationLog): Database {
  const { point } = database
  return {
    ...database,
    logsDurably: log.isDurable,
    async ping() {
      point.requireBelieved()
      await database.ping()
    },
    async transaction(work, options) {
      point.requireBelieved()
      let inside: Db | undefined
      const result = await database.transaction((db) => {
        inside = db
        return work(db)
      }, options)
      const receipts = (inside && recorded.get(inside)) ?? []
      if (receipts.length === 0) return result
      const rows = receipts.flatMap((receipt) => receipt.rows)
      for (const row of rows) point.learn(row)
      const logged = await log.add(rows)
      if (logged === 'superseded') {
        database.point.doubt()
        throw replaced()
      }
      for (const receipt of receipts) receipt.durable = logged === 'added'
      return result
    },
  }
}

/** Others already use the new database, which does not have this revocation yet: it may not be answered. */
const replaced = () =>
  new AppError('UNAVAILABLE', {
    retryAfterSeconds: 1,
    cause: new Error('The transaction was committed in a database that has been replaced.'),
  })
