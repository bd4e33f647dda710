/** One thing that is done to a portal whose file is copied back now and then; numbers pick one of those that there are. */
export type Step =
  | { kind: 'give' | 'end' | 'killed before the ledger' | 'restore' | 'restart'; at: number }
  | { kind: 'back up' | 'lose the ledger' }

/** The end of an access, each time that it ends. */
interface Revocation {
  id: string
}

/** The database as the model knows it. */
class Contents {
  readonly given: Set<string>
  readonly revocations: Set<Revocation>

  constructor({ given, revocations }: { given: Iterable<string>; revocations: Iterable<Revocation> }) {
    this.given = new Set(given)
    this.revocations = new Set(revocations)
  }
}

/** A ledger, and what may have been copied to it in the background. */
class LedgerContents {
  readonly revocations = new Set<Revocation>()
  readonly perhaps = new Set<Revocation>()
}

/**
 * What has to be accepted and what not, as the documents describe it: what has ended is in the database and in the
 * ledger, and a start makes both the same.
 */
export class RestoreModel {
  #now = new Contents({ given: [], revocations: [] })
  readonly #backups: Contents[] = []
  readonly #ledgers = [new LedgerContents(), new LedgerContents()] as const
  readonly #all = new Set<Revocation>()
  /** The one in use. */
  ledger: 0 | 1 = 0

  give(id: string): void {
    this.#now.given.add(id)
  }

  end(id: string): void {
    this.#current.revocations.add(this.#endInDatabase(id))
  }

  endBeforeLedger(id: string): void {
    this.#current.perhaps.add(this.#endInDatabase(id))
  }

  #endInDatabase(id: string): Revocation {
    const revocation = { id }
    this.#all.add(revocation)
    this.#now.revocations.add(revocation)
    return revocation
  }

  backUp(): void {
    this.#backups.push(new Contents(this.#now))
  }

  restore(backup: number): void {
    this.#now = new Contents(this.#backups[backup] ?? this.#now)
  }

  loseLedger(): void {
    this.#current.revocations.clear()
    this.#current.perhaps.clear()
  }

  /** Whatever is in one of them is in both from then on. */
  start(ledger: 0 | 1): void {
    this.ledger = ledger
    for (const revocation of this.#current.revocations) this.#now.revocations.add(revocation)
    for (const revocation of this.#now.revocations) this.#current.revocations.add(revocation)
  }

  get backups(): number {
    return this.#backups.length
  }

  get active(): string[] {
    return [...this.#now.given].filter((id) => !has(this.#now.revocations, id) && !has(this.#current.perhaps, id))
  }

  /** Compares what is seen; what was left open is certain from then on. */
  check(id: string, seen: 'accepted' | 'ended' | 'held'): void {
    const { given, revocations } = this.#now
    if (seen === 'held') {
      if (this.#all.size === revocations.size) throw new Error('Keys are held, and nothing is missing.')
      return
    }
    const hasEnded = !given.has(id) || has(revocations, id)
    const isOpen = !hasEnded && has(this.#current.perhaps, id)
    const expected = hasEnded ? 'ended' : 'accepted'
    if (isOpen) this.#decide(id, seen === 'ended')
    else if (seen !== expected) throw new Error(`${id} is ${seen}, and should be ${expected}.`)
  }

  #decide(id: string, wasCopied: boolean): void {
    for (const revocation of [...this.#current.perhaps].filter((each) => each.id === id)) {
      this.#current.perhaps.delete(revocation)
      if (!wasCopied) continue
      this.#now.revocations.add(revocation)
      this.#current.revocations.add(revocation)
    }
  }

  get #current(): LedgerContents {
    return this.#ledgers[this.ledger]
  }
}

const has = (revocations: Iterable<Revocation>, id: string) => [...revocations].some((each) => each.id === id)
