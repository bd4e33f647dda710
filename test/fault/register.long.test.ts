import { describe, expect, it } from 'vitest'
import { fc } from '../support/fast-check.ts'
import { type Change, type Seen, unexplained } from './register.ts'

type State = 'active' | 'paused'

interface Call extends Seen<State> {
  accepted: boolean
}

const change = (state: State, start: number, end: number): Change<State> => ({ start, end, state })
const call = (accepted: boolean, start: number, end: number): Call => ({
  accepted,
  start,
  end,
  fits: (state) => (state === 'active') === accepted,
})
const wrongIn = (changes: Change<State>[], ...calls: Call[]) => unexplained('active', changes, calls).length

describe('a change of a key holds for every call that starts after its answer', () => {
  const paused = change('paused', 10, 20)
  const resumed = change('active', 50, 60)

  it('a call that starts later and is answered by the state before is found; one under way may see either', () => {
    expect(wrongIn([paused], call(true, 21, 22))).toBe(1)
    expect(wrongIn([paused], call(true, 19, 40), call(false, 19, 40))).toBe(0)
    expect(wrongIn([paused, resumed], call(false, 61, 70))).toBe(1)
  })

  it('a call that ends before the change was sent cannot see it', () => {
    expect(wrongIn([paused], call(false, 5, 9))).toBe(1)
  })

  it('once a call has seen a change, no later call sees the state before, even while it is under way', () => {
    expect(wrongIn([paused], call(false, 11, 12), call(true, 13, 14))).toBe(1)
    expect(wrongIn([paused], call(false, 11, 14), call(true, 13, 15))).toBe(0)
  })

  it('a change without an answer may have happened or not, but not be undone', () => {
    const lost = change('paused', 10, Number.POSITIVE_INFINITY)
    expect(wrongIn([lost], call(true, 30, 31), call(false, 40, 41))).toBe(0)
    expect(wrongIn([lost], call(false, 30, 31), call(true, 40, 41))).toBe(1)
  })
})

const drawnChanges = fc.array(
  fc.record({ after: fc.integer({ min: 1, max: 4 }), lasts: fc.integer({ min: 1, max: 4 }) }),
  {
    maxLength: 3,
  },
)
const drawnCalls = fc.array(
  fc.record({
    accepted: fc.boolean(),
    start: fc.integer({ min: 0, max: 20 }),
    lasts: fc.integer({ min: 0, max: 6 }),
  }),
  { maxLength: 4 },
)

it('finds something exactly if no order of changes and calls explains the answers', () => {
  let explained = 0
  const runs = 20_000
  const agree = fc.property(drawnChanges, drawnCalls, (drawn, called) => {
    const changes: Change<State>[] = []
    for (const { after, lasts } of drawn) {
      const start = (changes.at(-1)?.end ?? 0) + after
      changes.push(change(changes.length % 2 === 0 ? 'paused' : 'active', start, start + lasts))
    }
    const calls = called.map(({ accepted, start, lasts }) => call(accepted, start + 0.5, start + 0.5 + lasts)) // no two at the same moment
    const possible = isExplained(changes, calls, 'active')
    explained += possible ? 1 : 0
    expect(unexplained('active', changes, calls).length === 0).toBe(possible)
  })
  fc.assert(agree, { numRuns: runs })
  expect(Math.min(explained, runs - explained)).toBeGreaterThan(runs / 20) // both answers were put to the test
})

/** By brute force: whether they can be put into an order that keeps real time and that a real key could give. */
function isExplained(changes: readonly Change<State>[], calls: readonly Call[], state: State): boolean {
  if (calls.length === 0) return true
  const isBeforeAll = ({ start }: { start: number }) => [...changes, ...calls].every(({ end }) => end >= start)
  const [next, ...later] = changes
  if (next && isBeforeAll(next) && isExplained(later, calls, next.state)) return true
  return calls.some(
    (each) =>
      isBeforeAll(each) &&
      each.fits(state) &&
      isExplained(
        changes,
        calls.filter((other) => other !== each),
        state,
      ),
  )
}
