import { MINUTE } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import type { PostgresConnection } from './postgres-connection.ts'

const MAX_WAITING = 1000
const LIFETIME_MS = 30 * MINUTE

type Waiter = PromiseWithResolvers<PostgresConnection>

/** A number of connections, each with one user at a time; whoever finds none free waits in line, and not for ever. */
export class PostgresPool {
  readonly #open: () => Promise<PostgresConnection>
  readonly #limit: number
  readonly #patienceMs: number
  readonly #idle: PostgresConnection[] = []
  readonly #waiting: Waiter[] = []
  #size = 0
  #closed = false

  constructor(open: () => Promise<PostgresConnection>, { limit, patienceMs }: { limit: number; patienceMs: number }) {
    this.#open = open
    this.#limit = limit
    this.#patienceMs = patienceMs
  }

  async use<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#acquire()
    try {
      return await work(connection)
    } finally {
      this.#release(connection)
    }
  }

  /** Ends what is idle; what is in use ends with its use. */
  close(): void {
    this.#closed = true
    for (const connection of this.#idle.splice(0)) this.#discard(connection)
  }

  #acquire(): Promise<PostgresConnection> {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (connection.isOpen) return Promise.resolve(connection)
      this.#discard(connection)
    }
    if (this.#size < this.#limit) return this.#openAnother()
    return this.#waitInLine()
  }

  async #openAnother(): Promise<PostgresConnection> {
    this.#size++
    try {
      return await this.#open()
    } catch (error) {
      this.#size--
      if (this.#size === 0) for (const waiter of this.#waiting.splice(0)) waiter.reject(error) // nobody could give them one
      throw error
    }
  }

  async #waitInLine(): Promise<PostgresConnection> {
    if (this.#waiting.length >= MAX_WAITING) throw busy()
    const waiter: Waiter = Promise.withResolvers()
    this.#waiting.push(waiter)
    const timer = setTimeout(() => {
      const place = this.#waiting.indexOf(waiter)
      if (place !== -1) this.#waiting.splice(place, 1)
      waiter.reject(busy())
    }, this.#patienceMs)
    try {
      return await waiter.promise
    } finally {
      clearTimeout(timer)
    }
  }

  #release(connection: PostgresConnection): void {
    if (!connection.isOpen) {
      this.#discard(connection)
      for (const idle of this.#idle.splice(0)) this.#discard(idle) // what took this one may have cut the others silently
      this.#openForNext()
    } else if (this.#closed || performance.now() - connection.openedAt > LIFETIME_MS) {
      this.#discard(connection)
      this.#openForNext()
    } else {
      const next = this.#waiting.shift()
      if (next) next.resolve(connection)
      else this.#idle.push(connection)
    }
  }

  #openForNext(): void {
    if (this.#waiting.length === 0) return
    this.#openAnother().then(
      (connection) => this.#release(connection),
      () => {}, // whoever waits is told there, or goes on waiting for one that is in use
    )
  }

  #discard(connection: PostgresConnection): void {
    this.#size--
    connection.close()
  }
}

const busy = () => new Failure('UNAVAILABLE', { retryAfterSeconds: 1 })
