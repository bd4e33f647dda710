/** A change of a key by the one client that changes it: from before it was first sent until it was certainly answered. */
export interface Change<State> {
  start: number
  /** Infinity while there is no answer. */
  end: number
  /** What the key is from then on. */
  state: State
}

/** A call that was accepted or refused, and whether a key in some state answers so. */
export interface Seen<State> {
  start: number
  end: number
  fits(state: State): boolean
}

/**
 * The calls that no state of the key explains. The changes come one after the other, so the key is a register with one
 * writer: a state may be seen from the start of its change until the next one is answered, and once a call has seen it,
 * no later call sees one before. Each call is given the earliest state that it may have seen, which leaves the most to
 * those after it; where there is none, no order of the calls explains them all.
 */
export function unexplained<State, Call extends Seen<State>>(
  first: State,
  changes: readonly Change<State>[],
  calls: readonly Call[],
): Call[] {
  const states = [{ start: Number.NEGATIVE_INFINITY, state: first }, ...changes]
  const goneAt = (place: number) => changes[place]?.end ?? Number.POSITIVE_INFINITY // the change at this place ends the state
  const byEnd: { end: number; place: number }[] = []
  const earliest = latestOfEnded(byEnd)
  const wrong: Call[] = []
  for (const call of calls.toSorted((a, b) => a.start - b.start)) {
    const from = earliest(call.start)
    const place = states.findIndex(
      ({ start, state }, place) =>
        place >= from && start <= call.end && call.start <= goneAt(place) && call.fits(state),
    )
    if (place === -1) wrong.push(call)
    else byEnd.push({ end: call.end, place })
  }
  return wrong
}

/** The latest state that a call saw which had ended by then; asked for moments that only go forward. */
function latestOfEnded(pending: { end: number; place: number }[]): (start: number) => number {
  let latest = 0
  return (start) => {
    const still = pending.filter(({ end, place }) => {
      if (end >= start) return true
      latest = Math.max(latest, place)
      return false
    })
    pending.splice(0, pending.length, ...still)
    return latest
  }
}
