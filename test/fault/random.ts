export type Random = () => number

/** Numbers from 0 to below 1, always the same for one seed (mulberry32), so that a run can be repeated. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number, both ends included. */
export const between = (random: Random, from: number, to: number) => from + Math.floor(random() * (to - from + 1))

export function oneOf<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[between(random, 0, items.length - 1)]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
