import { within } from '../../lib/within.ts'
import type { LookupCounts } from '../database.ts'
import type { Db } from '../tables.ts'
import type { PostgresConnection } from './connection.ts'
import { unavailable } from './errors.ts'
import { type AnyLookup, type AnyValues, type LookupAnswer, lookupParameters, lookupText } from './lookup-query.ts'
import { NotPrimary } from './primary.ts'

const MAX_BATCH = 500
const MAX_WAITING = 5000

type Row = Record<string, unknown>

interface Asked extends PromiseWithResolvers<{ row: Row | undefined; now: number }> {
  values: AnyValues
  at: number
}

/** Everyone who waits for an answer to the same lookup. */
interface Line {
  lookup: AnyLookup
  text: string
  waiting: Asked[]
  underWay: boolean
}

interface Options {
  open(): Promise<PostgresConnection>
  /** Spells the queries. */
  db: Db
  learnTime(serverTime: number): void
  counts: LookupCounts
  /** From the question to the answer. */
  deadlineMs: number
}

/**
 * Lookups on a connection of their own. Those that arrive while a query is under way share the next one: each is sent
 * after its request has come, so it sees every revoke that was answered before. None ever joins a query already sent.
 */
export class PostgresLookups {
  readonly #options: Options
  readonly #lines = new Map<AnyLookup, Line>()
  #connection: PostgresConnection | undefined
  #opening: Promise<PostgresConnection> | undefined
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  lookUp(lookup: AnyLookup, values: AnyValues): Promise<{ row: Row | undefined; now: number }> {
    const line = this.#lineOf(lookup)
    this.#options.counts.asked++
    if (line.waiting.length >= MAX_WAITING) throw unavailable(new Error('Too many lookups are waiting.'))
    const asked: Asked = { ...Promise.withResolvers(), values, at: performance.now() }
    line.waiting.push(asked)
    if (!line.underWay) void this.#answer(line)
    return asked.promise
  }

  /** Throws unless the primary answers on this connection. */
  async ping(): Promise<void> {
    const { deadlineMs: answerWithinMs } = this.#options
    const connection = await within(answerWithinMs, this.#connect(), tooLate)
    const { rows } = await connection.query('select pg_is_in_recovery() as "standby"', [], { answerWithinMs })
    if (rows[0]?.['standby'] !== false) throw this.#notPrimary(connection)
  }

  close(): void {
    this.#closed = true
    this.#connection?.close()
  }

  #lineOf(lookup: AnyLookup): Line {
    let line = this.#lines.get(lookup)
    if (!line) {
      line = { lookup, text: lookupText(lookup, this.#options.db), waiting: [], underWay: false }
      this.#lines.set(lookup, line)
    }
    return line
  }

  async #answer(line: Line): Promise<void> {
    line.underWay = true
    for (let first = line.waiting[0]; first; first = line.waiting[0]) {
      const timeLeft = () => first.at + this.#options.deadlineMs - performance.now()
      let batch: Asked[] = []
      try {
        const connection = await within(timeLeft(), this.#connect(), tooLate)
        batch = line.waiting.splice(0, MAX_BATCH) // from here on nobody joins them
        await this.#ask(connection, line, batch, timeLeft())
      } catch (error) {
        const failed = batch.length > 0 ? batch : line.waiting.splice(0)
        for (const asked of failed) asked.reject(unavailable(error))
      }
    }
    line.underWay = false
  }

  async #ask(connection: PostgresConnection, line: Line, batch: Asked[], answerWithinMs: number): Promise<void> {
    this.#options.counts.queries++
    const values = lookupParameters(
      line.lookup,
      batch.map((asked) => asked.values),
    )
    const { rows } = await connection.query(line.text, values, { answerWithinMs })
    const answers = rows as (Row & LookupAnswer)[] // as lookupText asks for them
    if (answers.length !== batch.length) throw new Error('Not every lookup was answered.')
    if (answers.some((answer) => answer['@standby'] !== false)) throw this.#notPrimary(connection)
    if (answers[0]) this.#options.learnTime(answers[0]['@now'])
    for (const answer of answers) {
      const now = answer['@now']
      batch[answer['@place'] - 1]?.resolve({ row: answer['@known'] === 1 ? answer : undefined, now })
    }
  }

  #connect(): Promise<PostgresConnection> {
    if (this.#connection?.isOpen) return Promise.resolve(this.#connection)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Goes on when those who wait for it have given up: the next ones find it open, and their queries known to the server. */
  async #open(): Promise<PostgresConnection> {
    const connection = await this.#options.open()
    try {
      for (const { lookup, text } of this.#lines.values()) await connection.query(text, lookupParameters(lookup, []))
    } catch (error) {
      connection.close() // nobody else knows of it
      throw error
    }
    if (this.#closed) connection.close()
    this.#connection = connection
    return connection
  }

  /** A server that has stopped being the primary is not asked again. */
  #notPrimary(connection: PostgresConnection): NotPrimary {
    connection.close()
    return new NotPrimary()
  }
}

const tooLate = () => new Error('PostgreSQL does not answer in time.')
