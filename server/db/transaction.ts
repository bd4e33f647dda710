import { type Compilable, type CompiledQuery, type Dialect, Kysely, sql } from 'kysely'
import { asUnavailable, isUnavailable } from './errors.ts'
import { jsonRows } from './json-rows.ts'
import type { RevocationTable } from './revocation-tables.ts'
import type { Tables } from './tables.ts'

/** What ends, before it has its place in the order of revocations. */
export type NewRevocation = Omit<RevocationTable, 'sequence' | 'incarnation'>

/** What became of what a transaction has revoked. Complete once the transaction has returned. */
export interface Receipt {
  /** It is on record outside of the database too, so a restored database does not bring back what was ended. */
  readonly durable: boolean
}

/** A write that is sent with the commit, and what receives the rows that it returns. */
export interface DeferredWrite {
  query: CompiledQuery
  onRows(rows: unknown[]): void
}

interface Options {
  dialect: Dialect
  server?: string
  /** Absent where a deferred write saves nothing, and so runs at once. */
  defer?: (write: DeferredWrite) => void
}

/** An open transaction: where it reads and writes, what it has recorded, and what the commit brings. */
export class Transaction extends Kysely<Tables> {
  /** The server of PostgreSQL, its timeline and its database. Empty on SQLite, and where PostgreSQL cannot be asked. */
  readonly server: string
  /** What this transaction has revoked, once it has returned. */
  readonly revoked: RevocationTable[] = []
  readonly receipt = { durable: false }
  #revocations: readonly NewRevocation[] = []
  #defer: Options['defer']

  constructor({ dialect, server = '', defer }: Options) {
    super({ dialect })
    this.server = server
    this.#defer = defer
  }

  override get isTransaction(): boolean {
    return true
  }

  /**
   * Defers a write to the end of the transaction, on PostgreSQL to the same round trip as the commit: others wait for its
   * rows only as long as the server takes, however busy this process is. Only for rows that the transaction does not read
   * afterwards. `onRows` receives what it returns, on PostgreSQL after the commit.
   */
  async defer<Row>(query: Compilable<Row>, onRows: (rows: Row[]) => void = () => {}): Promise<void> {
    const compiled = query.compile()
    if (this.#defer) return this.#defer({ query: compiled, onRows: onRows as DeferredWrite['onRows'] }) // the rows of this query
    const { rows } = await this.executeQuery<Row>(compiled)
    onRows(rows)
  }

  /** Records what this transaction ends. It is written last, when all of it is known. */
  recordRevocations(revocations: readonly NewRevocation[]): Receipt {
    if (revocations.length === 0) return { durable: true }
    this.#revocations = [...this.#revocations, ...revocations]
    return this.receipt
  }

  /** Whether it has revoked anything so far. */
  get revokes(): boolean {
    return this.#revocations.length > 0
  }

  /** Last before the commit. The counter stays locked until then: whoever reads a sequence also sees the effect of every revocation up to it. */
  async writeRevocations(): Promise<void> {
    const { length } = this.#revocations
    if (length === 0) return
    await this.defer(this.updateTable('revocationState').set((eb) => ({ sequence: eb('sequence', '+', length) })))
    await this.defer(insertion(this, this.#revocations), (rows) => {
      for (const row of rows) this.revoked.push(row) // there may be more than a call has arguments
    })
  }

  /** From here on parts may be rolled back alone, so nothing is deferred. Until its commit, the receipt says what is assumed. */
  divide({ assumedDurable }: { assumedDurable: boolean }): void {
    this.#defer = undefined
    this.receipt.durable = assumedDurable
  }

  /** Runs a part of a divided transaction: if it fails, the part is rolled back, and the rest can go on. */
  async inSavepoint<Result>(part: () => Promise<Result>): Promise<Result> {
    const revocations = this.#revocations
    await sql`savepoint "part"`.execute(this)
    try {
      const result = await part()
      await sql`release savepoint "part"`.execute(this)
      return result
    } catch (error) {
      this.#revocations = revocations
      await this.#backToSavepoint(error)
      throw error
    }
  }

  /** The transaction may be gone as a whole: by a lost connection, or by a full disk. */
  async #backToSavepoint(error: unknown): Promise<void> {
    try {
      await sql`rollback to savepoint "part"`.execute(this)
      await sql`release savepoint "part"`.execute(this)
    } catch (second) {
      throw isUnavailable(error) ? error : asUnavailable(second)
    }
  }
}

const COLUMNS = {
  place: 'integer',
  kind: 'text',
  organizationId: 'text',
  subject: 'text',
  endsAt: 'integer',
} as const

/** Without a state, in a database that is being restored, it fails: a row has to have a sequence. */
function insertion(db: Transaction, revocations: readonly NewRevocation[]) {
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
