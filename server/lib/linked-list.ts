export interface Entry<Value> {
  readonly value: Value
  before: Entry<Value> | undefined
  after: Entry<Value> | undefined
}

/** Values in the order in which they were added. Each is moved and removed in constant time, by its entry. */
export class LinkedList<Value> {
  first: Entry<Value> | undefined
  last: Entry<Value> | undefined
  size = 0

  add(value: Value): Entry<Value> {
    return this.#append({ value, before: undefined, after: undefined })
  }

  moveToEnd(entry: Entry<Value>): void {
    this.remove(entry)
    this.#append(entry)
  }

  /** Does nothing to an entry that is removed already. */
  remove(entry: Entry<Value>): void {
    const { before, after } = entry
    if (!before && this.first !== entry) return
    if (before) before.after = after
    else this.first = after
    if (after) after.before = before
    else this.last = before
    entry.before = undefined
    entry.after = undefined
    this.size--
  }

  /** An entry may be removed or moved once it is yielded. */
  *[Symbol.iterator](): Iterator<Entry<Value>> {
    let next = this.first
    while (next) {
      const entry = next
      next = entry.after
      yield entry
    }
  }

  #append(entry: Entry<Value>): Entry<Value> {
    entry.before = this.last
    if (this.last) this.last.after = entry
    else this.first = entry
    this.last = entry
    this.size++
    return entry
  }
}
