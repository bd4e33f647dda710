const STEPS = [1, 2, 5, 10]
/** Parts that a scale of whole numbers is divided into. */
const PARTS = 4

/** The numbers beside a chart, from 0 up to the first round one that nothing exceeds; all of them whole. */
export function scaleUpTo(most: number): number[] {
  const wanted = Math.max(1, Math.ceil(most / PARTS))
  const power = 10 ** Math.floor(Math.log10(wanted))
  const step = (STEPS.find((factor) => factor * power >= wanted) ?? 10) * power
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, index) => index * step)
}

/** Which of so many intervals have their time written below: the first, the last, and some in between. */
export function labelledIntervals(count: number, labels = 5): number[] {
  const most = Math.min(labels, count)
  if (most < 2) return most === 1 ? [0] : []
  return Array.from({ length: most }, (_, index) => Math.round((index * (count - 1)) / (most - 1)))
}
