import { AppError } from '../../lib/app-error.ts'
import { MINUTE } from '../../lib/clock.ts'
import { FairLine } from '../../lib/fair-line.ts'
import { LIMITS, type LimitName, noteLimitRefusal } from '../../limits.ts'
import type { PostgresConnection } from './connection.ts'

const LIFETIME_MS = 30 * MINUTE

/** What is done for no organization: sign-ins, background jobs, health. It has its turn as an organization has. */
const NOBODY = ''

type Waiter = PromiseWithResolvers<PostgresConnection>

/**
 * A number of connections, each with one user at a time. Whoever finds none free waits in line, and not for ever: organizations
 * take turns there, and the last free connection is for one that holds none.
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

  /** Closes idle connections; those in use are closed after their use. */
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

  /** Otherwise one organization whose statements are slow, or wait for each other, would make all others wait for them. */
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
      if (this.#size === 0) for (const waiter of this.#line.removeAll()) waiter.reject(error) // nobody could give them one
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
      for (const idle of this.#idle.splice(0)) this.#discard(idle) // what took this one may have cut the others silently
      this.#openForNext()
    } else if (this.#closed || performance.now() - connection.openedAt > LIFETIME_MS) {
      this.#discard(connection)
      this.#openForNext()
    } else {
      this.#idle.push(connection)
      this.#handOver()
    }
  }

  /** Gives what is idle to whoever is next. */
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
      () => {}, // whoever waits is told there, or goes on waiting for one that is in use
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
