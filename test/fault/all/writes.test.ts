import { testRun } from '../short-run.ts'

testRun('writes', 'quick')
