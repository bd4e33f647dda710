/** How often each of a few names was seen. What comes after the first `most` names is counted, not named. */
export class Tally {
  readonly #counts = new Map<string, number>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(name: string): void {
    const known = this.#counts.get(name)
    if (known !== undefined) this.#counts.set(name, known + 1)
    else this.#addNew(name)
  }

  #addNew(name: string): void {
    const counted = this.#counts.size < this.#most ? name : OTHERS
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1)
  }

  toJSON(): [name: string, count: number][] {
    return [...this.#counts]
  }
}

/** Stands for all names that there was no room for. */
const OTHERS = '…'
