import { expect, it } from 'vitest'
import { failureOf, firstOf, hasPassed, type RunResult, resultTable } from './report.ts'

const result = (more: Partial<RunResult>): RunResult => {
  return { run: 'replicas', figures: [], faults: {}, answers: {}, wrong: [], seconds: 1, ...more }
}
const figure = (value: number, wants?: { atLeast: number } | { atMost: number }) => {
  return { what: 'calls', value, ...(wants && { wants }) }
}

it.each([
  [true, result({})],
  [true, result({ figures: [figure(5), figure(5, { atLeast: 5 }), figure(0, { atMost: 0 })] })],
  [false, result({ figures: [figure(5), figure(4, { atLeast: 5 })] })],
  [false, result({ figures: [figure(1, { atMost: 0 })] })],
  [false, result({ figures: [figure(Number.NaN, { atMost: 0 })] })],
  [false, result({ wrong: ['a replica ended by itself'] })],
])('whether a run has passed: %s', (passed, run) => {
  expect(hasPassed(run)).toBe(passed)
  expect(resultTable([run]).includes('**FAILED**')).toBe(!passed)
})

it('a table shows what was measured, and what was expected', () => {
  const figures = [figure(200_001, { atLeast: 200_000 }), figure(1, { atMost: 0 })]
  const table = resultTable([result({ figures, faults: { 'TCP cut': 12, SIGSTOP: 3 } })])
  expect(table).toContain('| 200,001')
  expect(table).toContain('≥ 200,000 met')
  expect(table).toContain('≤ 0 **NOT MET**')
  expect(table).toContain('TCP cut 12, SIGSTOP 3')
})

it('a table shows what was left out', () => {
  const table = resultTable([result({ leftOut: ['restores by pg_restore: there is none'] })])
  expect(table).toMatch(/left out +\| restores by pg_restore: there is none/)
  expect(resultTable([result({})])).not.toContain('left out')
})

it('a failure has the seed, every wrong thing in its words, and what was missed', () => {
  const wrong = ['answered 500 INTERNAL: {}', 'replica 1 ended by itself']
  expect(failureOf(result({ wrong, figures: [figure(4, { atLeast: 5 }), figure(9)] }), 7)).toBe(
    ['replicas, SEED=7:', ...wrong, 'calls: 4, ≥ 5 **NOT MET**'].join('\n'),
  )
  expect(failureOf(result({ figures: [figure(5, { atLeast: 5 })] }), 7)).toBeUndefined()
})

it('of a long list the first entries are shown, and the number of others', () => {
  const many = Array.from({ length: 25 }, (_, i) => `violation ${i}`)
  expect(firstOf(many)).toEqual([...many.slice(0, 20), '… and 5 more'])
  expect(firstOf(many.slice(0, 20))).toEqual(many.slice(0, 20))
})
