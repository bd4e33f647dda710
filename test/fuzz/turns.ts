/** One item after the other, and then the first again. */
export function atTurn<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
