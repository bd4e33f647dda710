import { testRun } from '../short-run.ts'

testRun('errors', 'quick')
