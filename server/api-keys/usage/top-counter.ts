/** Counts how often each of the first `most` values occurs; all other values are counted under null. */
export class TopCounter {
  readonly #counts = new Map<string, number>()
  readonly #most: number
  #others = 0

  constructor(most: number) {
    this.#most = most
  }

  add(value: string): void {
    const known = this.#counts.get(value)
    if (known !== undefined) this.#counts.set(value, known + 1)
    else if (this.#counts.size < this.#most) this.#counts.set(value, 1)
    else this.#others++
  }

  toJSON(): [value: string | null, count: number][] {
    return this.#others === 0 ? [...this.#counts] : [...this.#counts, [null, this.#others]]
  }
}
