/** How many there are of each name, and of all of them; a name of which there is none takes no memory. */
export class CountByName {
  readonly #of = new Map<string, number>()
  all = 0

  of(name: string): number {
    return this.#of.get(name) ?? 0
  }

  add(name: string, by: number): void {
    this.all += by
    const count = this.of(name) + by
    if (count > 0) this.#of.set(name, count)
    else this.#of.delete(name)
  }
}
