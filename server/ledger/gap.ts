import type { RevocationPoint } from '../db/known-point.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'

/** The revocations of an incarnation, from the first that is missing to the last. */
export interface MissingRange {
  incarnation: number
  first: number
  last: number
}

/**
 * Finds what is missing up to a known point, in rows that are passed in the order of their sequences. Within an
 * incarnation every number is given once. Below its first one, everything was settled when it began.
 */
export class GapFinder {
  readonly #known: RevocationPoint
  #firstMissing: number
  /** From here up to the last row nothing is missing. */
  #since = 0
  #last = 0

  constructor(base: number, known: RevocationPoint) {
    this.#known = known
    this.#firstMissing = base + 1
  }

  add(rows: Iterable<RevocationTable>): void {
    const { incarnation, sequence: upTo } = this.#known
    for (const row of rows) {
      if (row.incarnation !== incarnation || row.sequence > upTo) continue
      if (row.kind === 'INCARNATION') this.#firstMissing = Math.max(this.#firstMissing, row.sequence)
      if (row.sequence === this.#firstMissing) this.#firstMissing++
      if (row.sequence > this.#last + 1) this.#since = row.sequence
      this.#last = row.sequence
    }
  }

  /** Undefined: nothing is missing. */
  get gap(): MissingRange | undefined {
    const { incarnation, sequence } = this.#known
    const last = this.#last === sequence ? this.#since - 1 : sequence
    return this.#firstMissing <= last ? { incarnation, first: this.#firstMissing, last } : undefined
  }
}
