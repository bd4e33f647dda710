import { type CompiledQuery, SelectQueryNode } from 'kysely'
import { MINUTE, SECOND } from '../../lib/clock.ts'
import type { TransactionOptions } from '../database.ts'
import { type DeferredWrite, Transaction } from '../transaction.ts'
import { maxTransactionMs, tookTooLong } from '../transaction-time.ts'
import type { PostgresConnection } from './connection.ts'
import { postgresDialect } from './dialect.ts'
import type { PostgresTimeouts } from './timeouts.ts'

export const UNLIMITED = { statementMs: 0, answerMs: 2 ** 31 - 1 }
const LONG = { statementMs: MINUTE, answerMs: MINUTE + SECOND }

type Options = Pick<TransactionOptions, 'noTimeout' | 'isLong' | 'usesReserve'>

/** Runs work in a transaction, on a connection of its own. */
export async function transact<Result>(
  connection: PostgresConnection,
  work: (transaction: Transaction) => Promise<Result>,
  options: Options = {},
): Promise<Result> {
  const statements = new Statements(connection, options)
  const transaction = new Transaction({
    dialect: postgresDialect((query) => statements.run(query)),
    server: connection.server,
    defer: (write) => statements.defer(write),
  })
  try {
    const result = await work(transaction)
    await transaction.writeRevocations()
    await statements.commit()
    return result
  } catch (error) {
    await statements.rollback()
    throw error
  }
}

/**
 * Each round trip costs an event-loop iteration, and with locks held it makes others wait. So statements that are
 * requested together are sent together, in order, and `begin` is sent with the first of them if they only read: a
 * statement sent after a failed `begin` runs outside a transaction, and a write would be committed.
 */
class Statements {
  readonly #connection: PostgresConnection
  readonly #limits: Pick<PostgresTimeouts, 'statementMs' | 'answerMs'>
  readonly #deferred: DeferredWrite[] = []
  #begun: Promise<unknown> | undefined
  #onlyReads = true
  #ended = false
  #failure: unknown

  readonly #endsAt: number

  constructor(connection: PostgresConnection, options: Options) {
    const { noTimeout, isLong } = options
    this.#connection = connection
    this.#endsAt = performance.now() + maxTransactionMs(options, connection.timeouts.statementMs)
    this.#limits = noTimeout ? UNLIMITED : isLong ? LONG : connection.timeouts
  }

  async run(query: CompiledQuery): Promise<{ rows: Record<string, unknown>[]; count: number }> {
    this.#requireTime()
    const begun = this.#begin()
    this.#onlyReads &&= isRead(query)
    if (!this.#onlyReads) await begun
    this.#requireOpen() // it may have been rolled back in the meantime
    const [answer] = await Promise.all([this.#ask(query.sql, query.parameters), begun])
    if (isBackToSavepoint(query)) this.#failure = undefined
    return answer
  }

  defer(write: DeferredWrite): void {
    this.#requireTime()
    this.#deferred.push(write)
  }

  /** Sends the deferred writes with the commit: if one fails, the server turns the commit into a rollback. */
  async commit(): Promise<void> {
    this.#ended = true
    if (!this.#begun && this.#deferred.length === 0) return
    await this.#begin()
    const asked = this.#deferred.map(({ query }) => this.#ask(query.sql, query.parameters))
    const [answers] = await Promise.all([Promise.all(asked), this.#commit()])
    for (const [index, { onRows }] of this.#deferred.entries()) onRows(answers[index]?.rows ?? [])
  }

  async rollback(): Promise<void> {
    this.#ended = true
    if (!this.#begun) return
    try {
      await this.#connection.query('rollback', [], { answerWithinMs: this.#answerWithinMs })
    } catch {
      this.#connection.close() // which also rolls back
    }
  }

  #begin(): Promise<unknown> {
    const { timeouts } = this.#connection
    this.#begun ??= this.#ask(begin({ ...timeouts, ...this.#limits }))
    return this.#begun
  }

  async #commit(): Promise<void> {
    try {
      const { command } = await this.#ask('commit')
      if (command === 'COMMIT') return
    } catch (error) {
      this.#connection.close() // whether it was committed is not known, and neither is the state of the connection
      throw error
    }
    throw this.#failure ?? rolledBack()
  }

  /** After one error, later statements fail with the same error. */
  async #ask(text: string, parameters: readonly unknown[] = []) {
    try {
      return await this.#connection.query(text, parameters, { answerWithinMs: this.#answerWithinMs, onlyOnce: true })
    } catch (error) {
      this.#failure ??= error
      throw this.#failure
    }
  }

  get #answerWithinMs(): number {
    return this.#limits.answerMs
  }

  #requireTime(): void {
    this.#requireOpen()
    if (performance.now() > this.#endsAt) throw tookTooLong()
  }

  #requireOpen(): void {
    if (this.#ended) throw new Error('The transaction has ended.')
  }
}

const rolledBack = () =>
  Object.assign(new Error('PostgreSQL has rolled the transaction back.'), { code: 'ROLLED_BACK' })

const isBackToSavepoint = ({ sql }: CompiledQuery) => sql.startsWith('rollback to savepoint')

const isRead = ({ query }: CompiledQuery) => SelectQueryNode.is(query) && query.with === undefined

/** Behind a pooler there is no session. A server that would answer before it writes to disk has to write first, or a revoked key could return. */
const begin = ({ statementMs, idleInTransactionMs }: PostgresTimeouts) =>
  `begin; set local statement_timeout = ${statementMs};
  set local idle_in_transaction_session_timeout = ${idleInTransactionMs};
  select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'`
