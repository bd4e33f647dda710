import { expect, it } from 'vitest'
import { closingLine, failureList, timeTable } from './time-table.ts'

const types = { name: 'types', shows: 'types of it all', args: [] }
const e2e = { name: 'e2e', shows: 'a browser', args: [] }
const results = [
  { step: types, passed: true, seconds: 2.04 },
  {
    step: e2e,
    passed: false,
    seconds: 101.5,
    report: {
      passed: 12,
      failed: 1,
      failures: [
        {
          path: 'test/b.test.ts',
          name: 'Users > are listed',
          message: '\u001b[31mError: no row\u001b[39m\n\n    at b.test.ts:3',
        },
      ],
      skipped: ['shared limits hold', 'limits (no Valkey): hold', 'limits (no Valkey): end'],
      files: [
        { path: 'test/a.test.ts', seconds: 1 },
        { path: 'test/b.test.ts', seconds: 30.25 },
      ],
    },
  },
]

it('shows how long each step and the slowest files took, and what was skipped', () => {
  expect(timeTable(results, 103.6).split('\n')).toEqual([
    'Where the time went',
    '  ok      types    2.0 s                       types of it all',
    '  FAILED  e2e    101.5 s  12 passed, 1 failed  a browser',
    '          total  103.6 s',
    'Slowest files',
    '  30.3 s  test/b.test.ts',
    '   1.0 s  test/a.test.ts',
    'Skipped',
    '  shared limits hold',
    '  limits (no Valkey) (2)',
  ])
})

it('names each failed test with the beginning of its message', () => {
  expect(failureList(results)).toEqual([
    '  e2e: test/b.test.ts: Users > are listed',
    '    Error: no row',
    '        at b.test.ts:3',
  ])
})

it('ends with the number of tests that passed and failed', () => {
  expect(closingLine(results)).toBe('Tests: 12 passed, 1 failed')
})
