import { testRun } from '../short-run.ts'

testRun('replicas', 'quick')
