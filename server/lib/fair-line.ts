/** Those who wait, by group. Each group has its turn, however many of another stand there; in a group it goes in their order. */
export class FairLine<Waiter> {
  /** In the order in which groups have their turn. */
  readonly #groups = new Map<string, Waiter[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(group: string): number {
    return this.#groups.get(group)?.length ?? 0
  }

  add(group: string, waiter: Waiter): void {
    const line = this.#groups.get(group)
    if (line) line.push(waiter)
    else this.#groups.set(group, [waiter])
    this.#length++
  }

  /** Whoever is next, of the groups that may; their group goes behind the others. */
  next(may: (group: string) => boolean): { group: string; waiter: Waiter } | undefined {
    for (const [group, line] of this.#groups) {
      const [waiter] = line
      if (waiter === undefined || !may(group)) continue
      line.shift()
      this.#length--
      this.#groups.delete(group)
      if (line.length > 0) this.#groups.set(group, line)
      return { group, waiter }
    }
    return undefined
  }

  /** Takes out one who has waited long enough. */
  remove(group: string, waiter: Waiter): void {
    const line = this.#groups.get(group)
    const place = line?.indexOf(waiter) ?? -1
    if (!line || place === -1) return
    line.splice(place, 1)
    this.#length--
    if (line.length === 0) this.#groups.delete(group)
  }

  removeAll(): Waiter[] {
    const all = [...this.#groups.values()].flat()
    this.#groups.clear()
    this.#length = 0
    return all
  }
}
