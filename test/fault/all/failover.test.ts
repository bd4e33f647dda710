import { testRun } from '../short-run.ts'

testRun('failover', 'quick')
