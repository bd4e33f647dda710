import { testRun } from '../short-run.ts'

testRun('workers', 'quick')
