import { AppError } from '../lib/app-error.ts'

export interface RevocationPoint {
  incarnation: number
  sequence: number
}

const NOTHING: RevocationPoint = { incarnation: 0, sequence: 0 }

/**
 * The latest point that this process has seen. A database never goes back by itself: an answer from before this point
 * comes from a restored copy or from a server that was replaced, and is not believed. Then everything is refused until
 * database and ledger have been compared.
 */
export class KnownPoint {
  #known = NOTHING
  #doubts = 0
  #server: string | undefined
  /** An answer was not believed, and database and ledger have not been compared since. */
  isDoubted = false
  /** What is known outside of this process. */
  ledger: { head(): RevocationPoint | undefined } = { head: () => undefined }
  /** Called when an answer is not believed: compares, and then calls `settle`. */
  onDoubt: () => void = () => {}

  /** How often an answer was not believed; to be read before a comparison that settles it. */
  get doubts(): number {
    return this.#doubts
  }

  /** The latest point that this process has seen itself. */
  get seen(): RevocationPoint {
    return this.#known
  }

  /** The server of the last connection; undefined on SQLite. */
  get server(): string | undefined {
    return this.#server
  }

  /** What this process or the ledger knows now: to be read when a question is sent, and passed on with its answer. */
  latest(): RevocationPoint {
    const [own, outside] = [this.#known, this.ledger.head()]
    if (!outside || outside.sequence < own.sequence) return own
    // A new incarnation begins above everything that was known, so the sequence alone tells which is later.
    return outside.sequence > own.sequence || outside.incarnation !== own.incarnation ? outside : own
  }

  /** Throws UNAVAILABLE while the database is compared with its ledger. */
  requireBelieved(): void {
    if (this.isDoubted) throw notBelieved()
  }

  /** Throws UNAVAILABLE unless the answer is from that point or a later one. */
  require(answer: RevocationPoint, latest: RevocationPoint = this.#known): void {
    const { incarnation, sequence } = answer
    if (this.isDoubted) throw notBelieved()
    if (latest === NOTHING) {
      this.#known = { incarnation, sequence }
      return
    }
    if (incarnation !== latest.incarnation || sequence < latest.sequence) {
      this.doubt()
      throw notBelieved()
    }
    if (sequence > this.#known.sequence) this.#known = { incarnation, sequence }
  }

  /** This process has committed a revocation itself. */
  learn({ incarnation, sequence }: RevocationPoint): void {
    if (incarnation === this.#known.incarnation && sequence > this.#known.sequence)
      this.#known = { incarnation, sequence }
  }

  /** A connection was opened to this server, with its timeline. Another one than before may have another past. */
  connectedTo(server: string): void {
    if (server === '') return // it cannot be asked
    const before = this.#server
    this.#server = server
    if (before !== undefined && server !== before) this.doubt()
  }

  doubt(): void {
    this.#doubts++
    if (this.isDoubted) return
    this.isDoubted = true
    this.onDoubt()
  }

  /** The ledger and the database, on this server, agree on this point. Doubts that came up since then remain. */
  settle({ incarnation, sequence }: RevocationPoint, server: string, doubts: number): void {
    if (incarnation !== this.#known.incarnation || sequence > this.#known.sequence)
      this.#known = { incarnation, sequence }
    if (doubts < this.#doubts) return
    this.#server = server
    this.isDoubted = false
  }
}

const notBelieved = () =>
  new AppError('UNAVAILABLE', {
    message: 'The database answers from an earlier state than before. The portal compares it with its ledger.',
    retryAfterSeconds: 1,
    cause: new Error('The database answered from an earlier state, or from another incarnation.'),
  })
