import { AppError } from '../../lib/app-error.ts'
import { MINUTE } from '../../lib/clock.ts'
import { FairLine } from '../../lib/fair-line.ts'
import { LIMITS, type LimitName, noteLimitRefusal } from '../../limits.ts'
import type { PostgresConnection } from './connection.ts'

const LIFETIME_MS = 30 * MINUTE

/** Work for no organization: sign-ins, background jobs, health checks. It takes turns like an organization. */
const NOBODY = ''

type Waiter = PromiseWithResolvers<PostgresConnection>

/**
 * A fixed number of connections, each with one user at a time. When none is free, a user waits in a queue, for a
 * limited time: organizations take turns, and the last free connection is for an organization that has none.
 */
export class PostgresPool {
  readonly #open: () => Promise<PostgresConnection>
  readonly #limit: number
  readonly #patienceMs: number
  readonly #idle: PostgresConnection[] = []
  readonly #line = new FairLine<Waiter>()
  readonly #heldBy = new Map<string, number>()
  #size = 0
  #closed = false

  constructor(open: () => Promise<PostgresConnection>, { limit, patienceMs }: { limit: number; patienceMs: number }) {
    this.#open = open
    this.#limit = limit
    this.#patienceMs = patienceMs
  }

  async use<Result>(
    work: (connection: PostgresConnection) => Promise<Result>,
    organizationId: string = NOBODY,
  ): Promise<Result> {
    const connection = await this.#acquire(organizationId)
    try {
      return await work(connection)
    } finally {
      this.#count(organizationId, -1)
      this.#takeBack(connection)
    }
  }

  /** Closes idle connections now, and the others after their use. */
  close(): void {
    this.#closed = true
    for (const connection of this.#idle.splice(0)) this.#discard(connection)
  }

  #acquire(organizationId: string): Promise<PostgresConnection> {
    if (!this.#mayTake(organizationId)) return this.#waitInLine(organizationId)
    this.#count(organizationId, 1)
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (connection.isOpen) return Promise.resolve(connection)
      this.#discard(connection)
    }
    return this.#openFor(organizationId)
  }

  /**
   * Otherwise slow statements of one organization, or statements that wait for each other, would make all others wait.
   */
  #mayTake(organizationId: string): boolean {
    const free = this.#idle.length + this.#limit - this.#size
    return free > 1 || (free === 1 && !this.#heldBy.has(organizationId))
  }

  #count(organizationId: string, by: 1 | -1): void {
    const held = (this.#heldBy.get(organizationId) ?? 0) + by
    if (held === 0) this.#heldBy.delete(organizationId)
    else this.#heldBy.set(organizationId, held)
  }

  async #openFor(organizationId: string): Promise<PostgresConnection> {
    try {
      return await this.#openAnother()
    } catch (error) {
      this.#count(organizationId, -1)
      throw error
    }
  }

  async #openAnother(): Promise<PostgresConnection> {
    this.#size++
    try {
      return await this.#open()
    } catch (error) {
      this.#size--
      if (this.#size === 0) for (const waiter of this.#line.removeAll()) waiter.reject(error) // no connection can become free any more
      throw error
    }
  }

  async #waitInLine(organizationId: string): Promise<PostgresConnection> {
    if (this.#line.lengthOf(organizationId) >= LIMITS.connection_waits_of_organization)
      throw full('connection_waits_of_organization')
    if (this.#line.length >= LIMITS.connection_waits) throw full('connection_waits')
    const waiter: Waiter = Promise.withResolvers()
    this.#line.add(organizationId, waiter)
    const timer = setTimeout(() => {
      this.#line.remove(organizationId, waiter)
      waiter.reject(busy())
    }, this.#patienceMs)
    try {
      return await waiter.promise
    } finally {
      clearTimeout(timer)
    }
  }

  #takeBack(connection: PostgresConnection): void {
    if (!connection.isOpen) {
      this.#discard(connection)
      for (const idle of this.#idle.splice(0)) this.#discard(idle) // the fault that broke this one may have broken the others silently
      this.#openForNext()
    } else if (this.#closed || performance.now() - connection.openedAt > LIFETIME_MS) {
      this.#discard(connection)
      this.#openForNext()
    } else {
      this.#idle.push(connection)
      this.#handOver()
    }
  }

  /** Gives idle connections to the next in the queue. */
  #handOver(): void {
    const next = this.#line.next((organizationId) => this.#mayTake(organizationId))
    const connection = next && this.#idle.pop()
    if (!connection) return
    this.#count(next.group, 1)
    next.waiter.resolve(connection)
  }

  #openForNext(): void {
    if (this.#line.length === 0) return
    this.#openAnother().then(
      (connection) => this.#takeBack(connection),
      () => {}, // the waiting users get the error there, or wait for a connection in use
    )
  }

  #discard(connection: PostgresConnection): void {
    this.#size--
    connection.close()
  }
}

function full(limit: LimitName): AppError {
  noteLimitRefusal(limit)
  return busy('Too many reads and writes are waiting. Send fewer at once, and try again in a moment.')
}

const busy = (message?: string) =>
  new AppError('UNAVAILABLE', { ...(message !== undefined && { message }), retryAfterSeconds: 1 })
