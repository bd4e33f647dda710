import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** What a run of Vitest has reported. */
export interface Report {
  passed: number
  failed: number
  /** By name, which says why. */
  skipped: string[]
  files: { path: string; seconds: number }[]
}

interface VitestReport {
  testResults: {
    name: string
    startTime: number
    endTime: number
    assertionResults: { status: string; title: string; ancestorTitles: string[] }[]
  }[]
}

/** Nothing where the run has ended without a report, such as one that could not begin. */
export function readReport(file: string): Report | undefined {
  if (!existsSync(file)) return undefined
  const raw: VitestReport = JSON.parse(readFileSync(file, 'utf8'))
  const tests = raw.testResults.flatMap((file) => file.assertionResults)
  const named = (...statuses: string[]) => tests.filter(({ status }) => statuses.includes(status))
  return {
    passed: named('passed').length,
    failed: named('failed').length,
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
