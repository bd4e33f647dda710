import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** The report of a Vitest run. */
export interface Report {
  passed: number
  failed: number
  failures: Failure[]
  /** By name, which includes the reason. */
  skipped: string[]
  files: { path: string; seconds: number }[]
}

/** A test that failed: in which file, by its whole name, and why. */
export interface Failure {
  path: string
  name: string
  message: string
}

interface VitestReport {
  testResults: {
    name: string
    startTime: number
    endTime: number
    /** Why the file failed as a whole. */
    message?: string
    assertionResults: { status: string; title: string; ancestorTitles: string[]; failureMessages?: string[] }[]
  }[]
}

/** Undefined if the run ended without a report. */
export function readReport(file: string): Report | undefined {
  if (!existsSync(file)) return undefined
  const raw: VitestReport = JSON.parse(readFileSync(file, 'utf8'))
  const tests = raw.testResults.flatMap((file) => file.assertionResults)
  const named = (...statuses: string[]) => tests.filter(({ status }) => statuses.includes(status))
  return {
    passed: named('passed').length,
    failed: named('failed').length,
    failures: raw.testResults.flatMap(failuresOf),
    skipped: [
      ...new Set(
        named('skipped', 'pending', 'todo').map((test) => [...test.ancestorTitles.slice(0, 1), test.title].join(': ')),
      ),
    ],
    files: raw.testResults.map(({ name, startTime, endTime }) => ({
      path: relative(process.cwd(), name),
      seconds: (endTime - startTime) / 1000,
    })),
  }
}

function failuresOf({ name, message, assertionResults }: VitestReport['testResults'][number]): Failure[] {
  const path = relative(process.cwd(), name)
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return message ? [{ path, name: 'the file itself', message }] : []
  return failed.map(({ title, ancestorTitles, failureMessages = [] }) => ({
    path,
    name: [...ancestorTitles, title].join(' > '),
    message: failureMessages.join('\n'),
  }))
}
