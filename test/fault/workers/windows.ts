import type { Verdict } from '../history.ts'

/** From before it was sent until its answer was there. */
export interface TimedCall {
  start: number
  end: number
  verdict: Verdict
}

const LENGTHS = [1, 2, 5, 10, 30, 60, 300]

/**
 * Where more calls were accepted than a limit allows, whenever its windows began: a time of so many windows touches one more
 * at most.
 */
export function mostInWindows(
  accepted: readonly TimedCall[],
  { limit, windowMs }: { limit: number; windowMs: number },
): string[] {
  const byEnd = accepted.toSorted((a, b) => a.end - b.end)
  return LENGTHS.flatMap((windows) => {
    const most = limit * (windows + 1)
    const found = mostWithin(byEnd, windows * windowMs)
    return found > most ? [`${found} calls were accepted within ${windows * windowMs} ms: ${most} at most`] : []
  })
}

/** The most calls that lie within any such time as a whole. */
function mostWithin(byEnd: readonly TimedCall[], ms: number): number {
  let most = 0
  const starts: number[] = [] // of those that may lie within a time that ends with this call
  for (const { start, end } of byEnd) {
    starts.push(start)
    const within = starts.filter((each) => each >= end - ms)
    starts.splice(0, starts.length, ...within)
    most = Math.max(most, within.length)
  }
  return most
}
