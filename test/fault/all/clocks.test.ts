import { testRun } from '../short-run.ts'

testRun('clocks', 'quick')
