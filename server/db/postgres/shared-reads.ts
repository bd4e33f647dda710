import { MINUTE, SECOND } from '../../lib/clock.ts'
import type { PostgresConnection } from './connection.ts'
import { asAppError, isFromServer, timedOut } from './errors.ts'

const MAX_SENT = 64
const MAX_SENT_OF_ORGANIZATION = 32
const CHECK_EVERY_MS = 100
const OPEN_AGAIN_AFTER_MS = SECOND
const LIFETIME_MS = 30 * MINUTE

export type Rows = Record<string, unknown>[]

interface Read {
  text: string
  values: readonly unknown[]
  organizationId: string
}

/** A read that was sent, and not answered yet. */
interface Sent extends Read, PromiseWithResolvers<Rows> {
  /** Its caller has an error, or another way to an answer: what comes here is ignored. */
  isLeft: boolean
}

interface Options {
  open(): Promise<PostgresConnection>
  /** Otherwise nothing more is sent on it. */
  isCurrent(connection: PostgresConnection): boolean
  /** Reads on a connection that nobody else uses meanwhile. */
  readAlone(read: Read): Promise<Rows>
  /** Without any answer for so long, the connection is closed. */
  answerMs: number
}

/**
 * Short reads that share one connection. Each is sent without waiting for the answers to those before it, so a read takes
 * no connection out of the pool, and the reads of one event-loop iteration are sent together. The server runs them in
 * order, each in a transaction of its own.
 *
 * No read has to do with the errors of another. One that the server refuses has its own error. When one is slow, those
 * behind it are read alone; so are all of them when the connection is lost, and any read while there is no room here.
 */
export class SharedReads {
  readonly #options: Options
  /** In the order in which they are answered. */
  readonly #sent: Sent[] = []
  readonly #sentOf = new Map<string, number>()
  #connection: PostgresConnection | undefined
  #isOpening = false
  #openAgainAt = 0
  #isClosed = false
  /** One is slow: nothing more is sent until all are answered. */
  #isStuck = false
  #timer: NodeJS.Timeout | undefined
  #hasAnswered = false
  #lastAnswerAt = 0

  constructor(options: Options) {
    this.#options = options
  }

  read(read: Read): Promise<Rows> {
    const connection = this.#connectionFor(read)
    if (!connection) return this.#options.readAlone(read)
    const { promise, resolve, reject } = Promise.withResolvers<Rows>()
    const { text, values, organizationId } = read
    const sent: Sent = { text, values, organizationId, promise, resolve, reject, isLeft: false }
    this.#sent.push(sent)
    this.#sentOf.set(organizationId, (this.#sentOf.get(organizationId) ?? 0) + 1)
    this.#timer ??= this.#watch()
    connection.send(text, values).then(
      (rows) => {
        this.#answered(sent)
        sent.resolve(rows)
      },
      (error) => this.#failed(sent, error),
    )
    return promise
  }

  /** Closes the connection once all are answered. */
  close(): void {
    this.#isClosed = true
    this.#dropIfUnused()
  }

  /** The connection, if this read may be sent on it now. */
  #connectionFor({ values, organizationId }: Read): PostgresConnection | undefined {
    if (!this.#connection?.isOpen) this.#openAnother()
    else if (!this.#isUsable(this.#connection)) this.#dropIfUnused()
    else if (!this.#isStuck && this.#hasRoom(organizationId) && values.every(isPlain)) return this.#connection
    return undefined
  }

  #hasRoom(organizationId: string): boolean {
    return this.#sent.length < MAX_SENT && (this.#sentOf.get(organizationId) ?? 0) < MAX_SENT_OF_ORGANIZATION
  }

  #isUsable(connection: PostgresConnection): boolean {
    const isOld = performance.now() - connection.openedAt > LIFETIME_MS
    return !this.#isClosed && !isOld && this.#options.isCurrent(connection)
  }

  #answered(sent: Sent): void {
    this.#hasAnswered = true
    const place = this.#sent.indexOf(sent) // nearly always the first
    if (place < 0) return
    this.#sent.splice(place, 1)
    this.#countOut(sent)
    if (this.#sent.length > 0) return
    this.#isStuck = false
    if (this.#connection && !this.#isUsable(this.#connection)) this.#dropIfUnused()
  }

  #failed(sent: Sent, error: unknown): void {
    if (isFromServer(error)) {
      this.#answered(sent)
      sent.reject(asAppError(error))
    } else if (this.#sent.includes(sent)) this.#lose() // otherwise it was sent on a connection that is lost already
  }

  /** All that were sent are read alone: whether one of them is at fault is not known. */
  #lose(): void {
    this.#connection?.destroy()
    this.#connection = undefined
    this.#isStuck = false
    for (const sent of this.#sent.splice(0)) {
      this.#countOut(sent)
      this.#leave(sent)
    }
  }

  #leave(sent: Sent): void {
    if (sent.isLeft) return
    sent.isLeft = true
    this.#options.readAlone(sent).then(sent.resolve, sent.reject)
  }

  #countOut({ organizationId }: Sent): void {
    const count = (this.#sentOf.get(organizationId) ?? 0) - 1
    if (count > 0) this.#sentOf.set(organizationId, count)
    else this.#sentOf.delete(organizationId)
  }

  /** One timer for all: it runs while there is something to wait for. */
  #watch(): NodeJS.Timeout {
    this.#hasAnswered = true
    // Answers that have arrived while this process was busy are read first.
    return setInterval(() => setImmediate(() => this.#check()), CHECK_EVERY_MS)
  }

  #check(): void {
    const now = performance.now()
    const [first, ...others] = this.#sent
    if (this.#hasAnswered || !first) this.#lastAnswerAt = now
    else {
      this.#isStuck = true
      for (const sent of others) this.#leave(sent)
      if (now - this.#lastAnswerAt >= this.#options.answerMs) {
        if (!first.isLeft) first.reject(asAppError(timedOut()))
        first.isLeft = true
        this.#lose()
      }
    }
    this.#hasAnswered = false
    if (first) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #openAnother(): void {
    if (this.#isOpening || this.#isClosed || performance.now() < this.#openAgainAt) return
    this.#isOpening = true
    this.#openAgainAt = performance.now() + OPEN_AGAIN_AFTER_MS
    this.#options
      .open()
      .then((connection) => {
        this.#connection = connection
        this.#dropIfUnused()
      })
      .catch(() => {}) // reads have another way, which says what is wrong
      .finally(() => {
        this.#isOpening = false
      })
  }

  #dropIfUnused(): void {
    if (!this.#connection || this.#sent.length > 0 || this.#isUsable(this.#connection)) return
    this.#connection.close()
    this.#connection = undefined
  }
}

/**
 * What the driver can always send. If it fails to write a value, it refuses the statement that is being answered, which
 * is another's, and takes the answers for one too many.
 */
const isPlain = (value: unknown) =>
  value === null || typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array
