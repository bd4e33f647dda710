import { expect, it } from 'vitest'
import { budgetsOf } from './budgets.ts'

it('each architecture has its budgets, and an unknown one those of x64', () => {
  expect(budgetsOf('x64')).toEqual({ ofFloor: 0.8, ofYoga: 4 })
  expect(budgetsOf('arm64')).toEqual({ ofFloor: 0.75, ofYoga: 3 })
  expect(budgetsOf('riscv64')).toEqual(budgetsOf('x64'))
})
