import { testRun } from '../short-run.ts'

testRun('counts', 'quick')
