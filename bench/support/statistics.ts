/** A median with the range of half of the measurements. */
export interface Summary {
  median: number
  low: number
  high: number
}

/** The value below which this share of the sorted numbers lies. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const index = (sorted.length - 1) * share
  const below = sorted[Math.floor(index)] ?? Number.NaN
  const above = sorted[Math.ceil(index)] ?? Number.NaN
  return below + (above - below) * (index - Math.floor(index))
}

/** Median and quartiles: one disturbed round changes neither by much. */
export function summarize(values: readonly number[]): Summary {
  const sorted = values.toSorted((a, b) => a - b)
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75) }
}
