import { testRun } from '../short-run.ts'

testRun('changes', 'quick')
