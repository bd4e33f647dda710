import { testRun } from '../short-run.ts'

testRun('restores', 'tiny')
