import { testRun } from '../short-run.ts'

testRun('copies', 'quick')
