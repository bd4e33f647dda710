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

/** A secret of the group. */
interface Known {
  /** Undefined: not looked up yet. */
  found: MaybePromise<FoundKey> | 'malformed' | undefined
  /** Whether several requests have it: only they have something to share. */
  isShared: boolean
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
  readonly #unshared: SharedReads = { answers: undefined, forget: () => this.#known.clear() }

  constructor(database: Database) {
    this.#database = database
  }

  /** The secrets of all requests. Begins each lookup where it takes time, so that those of a group are one query. */
  expect(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      const before = this.#known.get(secret)
      if (before) before.isShared = true
      else this.#add(secret, false)
    }
    if (this.#database.columnTypes.dialect !== 'postgres') return // it answers at once, or fails at once
    for (const [secret, known] of this.#known) {
      const found = this.#find(secret, known)
      if (found instanceof Promise) found.catch(() => undefined) // the requests get the error
    }
  }

  verify(secret: string, calledFrom: CalledFrom): MaybePromise<SharedVerdict> {
    const known = this.#known.get(secret) ?? this.#add(secret, true)
    const found = this.#find(secret, known)
    if (found === 'malformed') return MALFORMED
    return andThen(found, (key) =>
      known.isShared ? this.#share(known, key, calledFrom) : this.#judge(key, calledFrom),
    )
  }

  #share(known: Known, key: FoundKey, calledFrom: CalledFrom): SharedVerdict {
    const { last } = known
    if (last?.calledFrom.address === calledFrom.address && last.calledFrom.origin === calledFrom.origin) return last
    const reads = { ...this.#unshared, answers: new Map() }
    known.last = { verdict: verdictOn(key, calledFrom), reads, calledFrom }
    return known.last
  }

  #judge(key: FoundKey, calledFrom: CalledFrom): SharedVerdict {
    return { verdict: verdictOn(key, calledFrom), reads: this.#unshared }
  }

  #find(secret: string, known: Known): MaybePromise<FoundKey> | 'malformed' {
    known.found ??= isWellFormed('emp_', secret) ? findKey(this.#database, secret) : 'malformed'
    return known.found
  }

  #add(secret: string, isShared: boolean): Known {
    const known: Known = { found: undefined, isShared, last: undefined }
    this.#known.set(secret, known)
    return known
  }
}
