import { testRun } from '../short-run.ts'

testRun('planted-copies', 'quick')
