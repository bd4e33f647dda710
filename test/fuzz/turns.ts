/** How often the one whose turn it is had one before, in a plan that is gone through again and again. */
export function turnsBefore<Item>(plan: readonly Item[], turn: number): number {
  const item = atTurn(plan, turn)
  const timesIn = (some: readonly Item[]) => some.filter((each) => each === item).length
  return Math.floor(turn / plan.length) * timesIn(plan) + timesIn(plan.slice(0, turn % plan.length))
}

/** One item after the other, and then the first again. */
export function atTurn<Item>(items: readonly Item[], turn: number): Item {
  const item = items[turn % items.length]
  if (item === undefined) throw new Error('There is nothing to choose from.')
  return item
}
