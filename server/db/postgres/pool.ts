import { MINUTE } from '../../lib/clock.ts'
import { CountByName } from '../../lib/count-by-name.ts'
import { FairQueue } from '../../lib/fair-queue.ts'
import { connectionWaits, NO_ORGANIZATION } from '../connection-waits.ts'
import type { PostgresConnection } from './connection.ts'

const LIFETIME_MS = 30 * MINUTE

interface PoolOptions {
  limit: number
  patienceMs: number
  /** Otherwise a connection is closed instead of being used again. */
  isCurrent?: (connection: PostgresConnection) => boolean
}

/** A fixed number of connections. Organizations wait in turn by the time that they used, and the last free one is for one that has none. */
export class PostgresPool {
  readonly #open: () => Promise<PostgresConnection>
  readonly #isCurrent: (connection: PostgresConnection) => boolean
  readonly #limit: number
  readonly #idle: PostgresConnection[] = []
  readonly #queue: FairQueue<{ group: string }, PostgresConnection>
  readonly #held = new CountByName()
  #size = 0
  #closed = false

  constructor(open: () => Promise<PostgresConnection>, { limit, patienceMs, isCurrent = () => true }: PoolOptions) {
    this.#open = open
    this.#isCurrent = isCurrent
    this.#limit = limit
    this.#queue = new FairQueue(connectionWaits(patienceMs))
  }

  async use<Result>(
    work: (connection: PostgresConnection) => Promise<Result>,
    organizationId: string = NO_ORGANIZATION,
  ): Promise<Result> {
    const connection = await this.#acquire(organizationId)
    const began = performance.now()
    try {
      return await work(connection)
    } finally {
      this.#queue.noteUse(organizationId, performance.now() - began)
      this.#held.add(organizationId, -1)
      this.#takeBack(connection)
    }
  }

  /** Closes idle connections now, and the others after their use. */
  close(): void {
    this.#closed = true
    for (const connection of this.#idle.splice(0)) this.#discard(connection)
  }

  #acquire(organizationId: string): Promise<PostgresConnection> {
    if (!this.#mayTake(organizationId)) return this.#queue.wait({ group: organizationId })
    this.#held.add(organizationId, 1)
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (connection.isOpen && this.#isCurrent(connection)) return Promise.resolve(connection)
      this.#discard(connection)
    }
    return this.#openFor(organizationId)
  }

  /** Otherwise slow statements of one organization, or statements that wait for each other, would make all others wait. */
  #mayTake(organizationId: string): boolean {
    const free = this.#idle.length + this.#limit - this.#size
    return free > 1 || (free === 1 && this.#held.of(organizationId) === 0)
  }

  async #openFor(organizationId: string): Promise<PostgresConnection> {
    try {
      return await this.#openAnother()
    } catch (error) {
      this.#held.add(organizationId, -1)
      throw error
    }
  }

  async #openAnother(): Promise<PostgresConnection> {
    this.#size++
    try {
      return await this.#open()
    } catch (error) {
      this.#size--
      if (this.#size === 0) this.#queue.rejectAll(error) // nobody could give them one
      throw error
    }
  }

  #takeBack(connection: PostgresConnection): void {
    if (!connection.isOpen) {
      this.#discard(connection)
      for (const idle of this.#idle.splice(0)) this.#discard(idle) // the fault that broke this one may have broken the others silently
      this.#openForNext()
    } else if (this.#closed || !this.#isCurrent(connection) || performance.now() - connection.openedAt > LIFETIME_MS) {
      this.#discard(connection)
      this.#openForNext()
    } else {
      this.#idle.push(connection)
      this.#handOver()
    }
  }

  #handOver(): void {
    const next = this.#queue.next((organizationId) => this.#mayTake(organizationId))
    const connection = next && this.#idle.pop()
    if (!connection) return
    this.#held.add(next.who.group, 1)
    next.resolve(connection)
  }

  #openForNext(): void {
    if (this.#queue.size === 0) return
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
