import { expect, it } from 'vitest'
import type { Finding } from './question.ts'
import { type Answered, findingsTable, hasMissed, verdictLine } from './table.ts'

const always = (median: number) => ({ median, low: median, high: median })
const answered = (id: string, ...findings: Finding[]): Answered => ({ id, asks: '', findings, systems: [] })

const kept: Finding = { what: 'speed', value: always(0.8), unit: '×', budget: { atLeast: 0.7, aim: 0.85 } }
const missed: Finding = { what: 'size', value: always(201), unit: 'KB', budget: { atMost: 200 } }
const free: Finding = { what: 'memory', value: always(90), unit: 'MB' }

it('the verdict counts questions with a budget, and names those that missed it or were not measured', () => {
  const absent = [{ name: 'PostgreSQL', why: 'It did not start.' }]
  expect(verdictLine([answered('P1', kept, free), { ...answered('P5'), absent }, answered('P8', missed)])).toBe(
    '1 of 2 budgets met.\n  missed: P8, size: 201 KB, not ≤ 200 KB\n  not measured: P5, no PostgreSQL here',
  )
  expect(hasMissed([answered('P1', kept), answered('P8', missed)])).toBe(true)
})

it('a run with all budgets met, or with none measured, misses nothing', () => {
  expect(verdictLine([answered('P1', kept, free)])).toBe('1 of 1 budgets met.')
  expect(verdictLine([answered('memory', free)])).toBe('No budget was measured.')
  expect(hasMissed([answered('P1', kept, free)])).toBe(false)
})

it('an aim without a budget is shown, and cannot be missed', () => {
  const below: Finding = { what: 'score', value: always(88), unit: 'of 100', budget: { aim: 90 } }
  expect(findingsTable([answered('lighthouse', below)])).toContain(
    '| 88 of 100 | 88 – 88            | aiming at 90 |  ',
  )
  expect(verdictLine([answered('lighthouse', below)])).toBe('No budget was measured.')
  expect(hasMissed([answered('lighthouse', below)])).toBe(false)
})
