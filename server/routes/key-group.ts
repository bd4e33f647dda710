import type { Database } from '../db/database.ts'
import type { SharedReads } from '../graphql/shared-reads.ts'
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts'
import { isWellFormed } from '../lib/secret.ts'
import { type CalledFrom, type FoundKey, findKey, INVALID, type KeyVerdict, verdictOn } from '../verify-key.ts'

/** The verdict on a key for requests from one address and origin, and what they have read with it. */
export interface SharedVerdict {
  verdict: KeyVerdict
  reads: SharedReads | undefined
}

const MALFORMED: SharedVerdict = { verdict: INVALID, reads: undefined }

interface Known {
  found: MaybePromise<FoundKey>
  last: (SharedVerdict & { calledFrom: CalledFrom }) | undefined
}

/**
 * The keys of requests that have arrived together. Each secret is looked up once, and only when all of these requests
 * have arrived: so what is found knows of every revoke that had returned before any of them was sent. It is of no use
 * for a request that arrives later, or that has waited.
 */
export class KeyGroup {
  readonly #database: Database
  readonly #known = new Map<string, Known>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Begins the lookup of each where it takes time, so that those of a group are one query. */
  expect(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (!isWellFormed('emp_', secret)) continue
      const { found } = this.#find(secret)
      if (!(found instanceof Promise)) return
      found.catch(() => undefined) // the requests get the error
    }
  }

  verify(secret: string, calledFrom: CalledFrom): MaybePromise<SharedVerdict> {
    const known = this.#known.get(secret) ?? (isWellFormed('emp_', secret) ? this.#find(secret) : undefined)
    if (!known) return MALFORMED
    return andThen(known.found, (found) => {
      const { last } = known
      if (last?.calledFrom.address === calledFrom.address && last.calledFrom.origin === calledFrom.origin) return last
      const verdict = verdictOn(found, calledFrom)
      known.last = { verdict, reads: { answers: new Map(), forget: this.#forget }, calledFrom }
      return known.last
    })
  }

  #find(secret: string): Known {
    let known = this.#known.get(secret)
    if (!known) {
      known = { found: findKey(this.#database, secret), last: undefined }
      this.#known.set(secret, known)
    }
    return known
  }

  readonly #forget = () => this.#known.clear()
}
