import { testRun } from '../short-run.ts'

testRun('kills', 'tiny')
