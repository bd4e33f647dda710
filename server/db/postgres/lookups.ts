import { within } from '../../lib/within.ts'
import type { LookupCounts } from '../database.ts'
import type { KnownPoint } from '../known-point.ts'
import type { LookedUp } from '../lookup.ts'
import type { Db } from '../tables.ts'
import type { PostgresConnection } from './connection.ts'
import { unavailable } from './errors.ts'
import { type AnyLookup, type AnyValues, type LookupAnswer, lookupParameters, lookupText } from './lookup-query.ts'
import { NotPrimary } from './primary.ts'

const MAX_BATCH = 500
const MAX_WAITING = 5000

type Row = Record<string, unknown>

interface WaitingLookup extends PromiseWithResolvers<LookedUp<Row>> {
  values: AnyValues
  at: number
}

interface Line {
  lookup: AnyLookup
  text: string
  waiting: WaitingLookup[]
  underWay: boolean
}

interface Options {
  open(): Promise<PostgresConnection>
  db: Db
  learnTime(serverTime: number): void
  counts: LookupCounts
  point: KnownPoint
  /** From the request for a lookup to its answer. */
  deadlineMs: number
}

/**
 * Lookups on a separate connection. Those that arrive while a query is in progress share the next one: each is sent
 * after its request arrived, so it sees every revoke that was answered before. A lookup never joins a query that was
 * already sent.
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

  lookUp(lookup: AnyLookup, values: AnyValues): Promise<LookedUp<Row>> {
    const line = this.#lineOf(lookup)
    this.#options.counts.asked++
    if (line.waiting.length >= MAX_WAITING) throw unavailable(new Error('Too many lookups are waiting.'))
    const asked: WaitingLookup = { ...Promise.withResolvers(), values, at: performance.now() }
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
      let batch: WaitingLookup[] = []
      try {
        const connection = await within(timeLeft(), this.#connect(), tooLate)
        batch = line.waiting.splice(0, MAX_BATCH) // from here on, no lookup joins the batch
        await this.#ask(connection, line, batch, timeLeft())
      } catch (error) {
        const failed = batch.length > 0 ? batch : line.waiting.splice(0)
        for (const asked of failed) asked.reject(unavailable(error))
      }
    }
    line.underWay = false
  }

  async #ask(
    connection: PostgresConnection,
    line: Line,
    batch: WaitingLookup[],
    answerWithinMs: number,
  ): Promise<void> {
    this.#options.counts.queries++
    const values = lookupParameters(
      line.lookup,
      batch.map((asked) => asked.values),
    )
    const { point } = this.#options
    const latest = point.latest()
    const { rows } = await connection.query(line.text, values, { answerWithinMs, onlyOnce: true }) // lines share the connection
    const answers = rows as (Row & LookupAnswer)[] // the columns of lookupText
    if (answers.length !== batch.length) throw new Error('Not every lookup was answered.')
    if (answers.some((answer) => answer['@standby'] !== false)) throw this.#notPrimary(connection)
    const [first] = answers // what all of them share is the same in each
    if (!first) return
    this.#options.learnTime(first['@now'])
    point.require({ incarnation: first['@incarnation'], sequence: first['@sequence'] }, latest)
    const isHeld = first['@heldSince'] !== null
    for (const answer of answers) {
      const now = answer['@now']
      batch[answer['@place'] - 1]?.resolve({ row: answer['@known'] === 1 ? answer : undefined, now, isHeld })
    }
  }

  #connect(): Promise<PostgresConnection> {
    if (this.#connection?.isOpen) return Promise.resolve(this.#connection)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Continues when the waiting requests have given up: the next ones find the connection open and the queries prepared. */
  async #open(): Promise<PostgresConnection> {
    const connection = await this.#options.open()
    try {
      for (const { lookup, text } of this.#lines.values()) await connection.query(text, lookupParameters(lookup, []))
    } catch (error) {
      connection.close() // no other code has a reference to it
      throw error
    }
    if (this.#closed) connection.close()
    this.#connection = connection
    return connection
  }

  #notPrimary(connection: PostgresConnection): NotPrimary {
    connection.close()
    return new NotPrimary()
  }
}

const tooLate = () => new Error('PostgreSQL does not answer in time.')
