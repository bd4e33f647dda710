import { describe, expect, it } from 'vitest'
import { fc } from '../support/fast-check.ts'
import { type Operation, type Verdict, violationsIn } from './history.ts'

const key = 'k'
const op = (kind: Operation['kind'], start: number, end: number, answer: Verdict): Operation => {
  return { key, kind, start, end, answer }
}
const generated = op('generate', 0, 1, 'accepted')
const rulesIn = (...operations: Operation[]) => violationsIn([generated, ...operations]).map(({ rule }) => rule)

describe('a key changes from active to revoked once', () => {
  it('an accepted call that starts after the revoke returned is a violation; one in progress is not', () => {
    const revoke = op('revoke', 10, 20, 'accepted')
    expect(rulesIn(revoke, op('call', 21, 22, 'accepted'))).toEqual(['accepted after its revoke had answered'])
    expect(rulesIn(revoke, op('call', 19, 40, 'accepted'))).toEqual([])
    expect(rulesIn(revoke, op('call', 20, 40, 'accepted'))).toEqual([])
  })

  it('a refused call that ended before the revoke started is a violation, also without any revoke', () => {
    const early = op('call', 5, 9, 'refused')
    expect(rulesIn(op('revoke', 10, 20, 'accepted'), early)).toEqual(['refused before any revoke had started'])
    expect(rulesIn(early)).toEqual(['refused before any revoke had started'])
    expect(rulesIn(op('revoke', 9, 20, 'accepted'), early)).toEqual([])
  })

  it('an accepted call that starts after a refused one ended is a violation, even during the revoke', () => {
    const revoke = op('revoke', 10, 100, 'accepted')
    const refused = op('call', 20, 30, 'refused')
    expect(rulesIn(revoke, refused, op('call', 31, 40, 'accepted'))).toEqual(['accepted after it had been refused'])
    expect(rulesIn(revoke, refused, op('call', 29, 40, 'accepted'))).toEqual([])
  })

  it('a revoke without an answer may have happened at any time after its start, or never', () => {
    const lost = op('revoke', 10, 20, 'unknown')
    expect(rulesIn(lost, op('call', 30, 40, 'accepted'))).toEqual([])
    expect(rulesIn(lost, op('call', 30, 40, 'refused'))).toEqual([])
    expect(rulesIn(lost, op('call', 5, 9, 'refused'))).toEqual(['refused before any revoke had started'])
    expect(rulesIn(lost, op('call', 30, 40, 'refused'), op('call', 41, 50, 'accepted'))).toEqual([
      'accepted after it had been refused',
    ])
  })

  it('a revoke that finds nothing means that the key is gone, and needs an earlier one that may have happened', () => {
    const foundGone = op('revoke', 30, 40, 'refused')
    const lost = op('revoke', 10, 20, 'unknown')
    expect(rulesIn(lost, foundGone)).toEqual([])
    expect(rulesIn(lost, foundGone, op('call', 41, 50, 'accepted'))).toEqual(['accepted after its revoke had answered'])
    expect(rulesIn(foundGone)).toEqual(['refused before any revoke had started'])
  })

  it('a key is revoked once', () => {
    const revokes = [op('revoke', 10, 20, 'accepted'), op('revoke', 12, 22, 'accepted')]
    expect(rulesIn(...revokes)).toEqual(['revoked twice'])
  })

  it('calls without an answer are never violations', () => {
    const unknown = [op('call', 5, 9, 'unknown'), op('call', 30, Number.POSITIVE_INFINITY, 'unknown')]
    expect(rulesIn(op('revoke', 10, 20, 'accepted'), ...unknown)).toEqual([])
  })

  it('every violation is reported with the conflicting operation; keys are independent', () => {
    const revoke = op('revoke', 10, 20, 'accepted')
    const calls = [op('call', 25, 26, 'accepted'), op('call', 30, 31, 'accepted')]
    const other = [generated, op('call', 50, 60, 'accepted')].map((operation) => ({ ...operation, key: 'other' }))
    expect(violationsIn([generated, ...calls, revoke, ...other])).toEqual(
      calls.map((wrong) => ({ rule: 'accepted after its revoke had answered', key, wrong, against: revoke })),
    )
  })

  it('a history in which a key is used before it exists is refused', () => {
    expect(() => violationsIn([generated, op('call', 0, 5, 'accepted')])).toThrow('a call before the key was there')
    expect(() => violationsIn([op('call', 2, 5, 'accepted')])).toThrow('a call before the key was there')
  })
})

const operations = fc.array(
  fc.record({
    kind: fc.constantFrom<Operation['kind'][]>('call', 'call', 'call', 'revoke'),
    start: fc.integer({ min: 1, max: 12 }),
    lasts: fc.integer({ min: 0, max: 6 }),
    answer: fc.constantFrom<Verdict[]>('accepted', 'accepted', 'refused', 'refused', 'unknown'),
  }),
  { maxLength: 7 },
)

it('finds a violation exactly if no order of the operations explains the history', () => {
  let explained = 0
  const runs = 30_000
  const agree = fc.property(operations, (drawn) => {
    const history = drawn.map(({ kind, start, lasts, answer }) => op(kind, start, start + lasts, answer))
    const possible = isExplained(history, 'active')
    explained += possible ? 1 : 0
    expect(violationsIn([generated, ...history]).length === 0).toBe(possible)
  })
  fc.assert(agree, { numRuns: runs })
  expect(Math.min(explained, runs - explained)).toBeGreaterThan(runs / 20) // both answers were put to the test
})

/** By brute force: whether the operations can be put into an order that keeps real time and that a real key could give. */
function isExplained(left: Operation[], state: 'active' | 'gone'): boolean {
  if (left.every(({ answer }) => answer === 'unknown')) return true // what has no answer need not have happened
  return left.some((next) => {
    const rest = left.filter((operation) => operation !== next)
    const isFirst = rest.every(({ end, answer }) => answer === 'unknown' || end >= next.start)
    if (!isFirst) return false
    const isRight = next.answer === 'unknown' || next.answer === (state === 'active' ? 'accepted' : 'refused')
    return isRight && isExplained(rest, next.kind === 'revoke' ? 'gone' : state)
  })
}
