import { AppError } from '../lib/app-error.ts'

/** How far the revocations of a database have come. */
export interface RevocationPoint {
  incarnation: number
  sequence: number
}

const LATELY_MS = 10
const NOTHING: RevocationPoint = { incarnation: 0, sequence: 0 }

/**
 * The latest point that this process has seen. A database never goes back by itself: an answer from before this point
 * comes from a restored copy or from a server that was replaced, and is not believed. Then everything is refused until
 * database and ledger have been compared.
 */
export class KnownPoint {
  #known = NOTHING
  #doubts = 0
  #settledDoubts = 0
  #server: string | undefined
  #outside: RevocationPoint | undefined
  #askedLedgerAt = Number.NEGATIVE_INFINITY
  /** What is known outside of this process. */
  ledger: () => RevocationPoint | undefined = () => undefined
  /** Called when an answer is not believed: compares, and then calls `settle`. */
  onDoubt: () => void = () => {}

  get isDoubted(): boolean {
    return this.#doubts > this.#settledDoubts
  }

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

  /** To be called when a question is sent, and passed on with its answer. */
  whenSent(): RevocationPoint {
    this.#askedLedgerAt = performance.now()
    this.#outside = this.ledger()
    return this.#latest()
  }

  /**
   * The same with the ledger as it was a moment ago, since reading it takes as long as half a lookup on SQLite. There it
   * only matters after a restore: nobody starts a program that revokes a key and another one that restores the database
   * within that time.
   */
  whenSentLately(): RevocationPoint {
    return performance.now() - this.#askedLedgerAt > LATELY_MS ? this.whenSent() : this.#latest()
  }

  #latest(): RevocationPoint {
    return this.#outside && isLater(this.#outside, this.#known) ? this.#outside : this.#known
  }

  /** Throws UNAVAILABLE while the database is compared with its ledger. */
  requireBelieved(): void {
    if (this.isDoubted) throw notBelieved()
  }

  /** Throws UNAVAILABLE unless the answer is from that point or a later one. */
  require(answer: RevocationPoint, whenSent: RevocationPoint = this.#known): void {
    const { incarnation, sequence } = answer
    this.requireBelieved()
    if (whenSent === NOTHING) {
      this.#known = { incarnation, sequence }
      return
    }
    if (incarnation !== whenSent.incarnation || sequence < whenSent.sequence) {
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
    const isNew = !this.isDoubted
    this.#doubts++
    if (isNew) this.onDoubt()
  }

  /** The ledger and the database, on this server, agree on this point. Doubts that came up since then remain. */
  settle({ incarnation, sequence }: RevocationPoint, server: string, doubts: number): void {
    if (incarnation !== this.#known.incarnation || sequence > this.#known.sequence)
      this.#known = { incarnation, sequence }
    if (doubts === this.#doubts) this.#server = server
    this.#settledDoubts = doubts
  }
}

/** A new incarnation begins above everything that was known, so the sequence alone tells which is later. */
const isLater = (a: RevocationPoint, b: RevocationPoint) =>
  a.sequence > b.sequence || (a.sequence === b.sequence && a.incarnation !== b.incarnation)

const notBelieved = () =>
  new AppError('UNAVAILABLE', {
    message: 'The database answers from an earlier state than before. The portal compares it with its ledger.',
    retryAfterSeconds: 1,
    cause: new Error('The database answered from an earlier state, or from another incarnation.'),
  })
