/** The number of old entries that a new one looks at: more than one, so that entries are forgotten faster than they come. */
const LOOKS = 3

/** A map that forgets entries that are over, a few with each new one: it stays in proportion to those that are not. */
export class SweptMap<Value> {
  readonly #entries = new Map<string, Value>()
  readonly #isOver: (value: Value) => boolean
  #looking = this.#entries.entries()

  constructor(isOver: (value: Value) => boolean) {
    this.#isOver = isOver
  }

  get size(): number {
    return this.#entries.size
  }

  get(name: string): Value | undefined {
    return this.#entries.get(name)
  }

  add(name: string, value: Value): Value {
    for (let looks = 0; looks < LOOKS; looks++) this.#lookAtNext()
    this.#entries.set(name, value)
    return value
  }

  values(): IterableIterator<Value> {
    return this.#entries.values()
  }

  #lookAtNext(): void {
    const next = this.#looking.next()
    if (next.done) this.#looking = this.#entries.entries()
    else if (this.#isOver(next.value[1])) this.#entries.delete(next.value[0])
  }
}
