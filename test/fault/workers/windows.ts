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
  const starts: number[] = [] // calls that may lie within a time that ends with this call
  for (const { start, end } of byEnd) {
    starts.push(start)
    const within = starts.filter((each) => each >= end - ms)
    starts.splice(0, starts.length, ...within)
    most = Math.max(most, within.length)
  }
  return most
}

/**
 * The most calls that were accepted in a time of so many windows with a refusal in each, whenever they began: all but one of
 * them lie within it as a whole, and each has the whole limit. Undefined: there was no such time.
 */
export function acceptedWhileRefused(
  calls: readonly TimedCall[],
  { windows, windowMs }: { windows: number; windowMs: number },
): number | undefined {
  const byStart = calls.toSorted((a, b) => a.start - b.start)
  const refusals = byStart.filter(({ verdict }) => verdict === 'refused')
  const found = refusals.flatMap((first, place) => {
    const end = first.start + windows * windowMs
    const next = refusals
      .slice(place)
      .findIndex((one, i) => one.end - (refusals[place + i - 1] ?? first).start >= windowMs)
    const last = next === -1 ? refusals.at(-1) : refusals[place + next - 1]
    if (!last || last.start < end) return []
    return byStart.filter((call) => call.verdict !== 'refused' && call.end >= first.start && call.start <= end).length
  })
  return found.length > 0 ? Math.max(...found) : undefined
}
