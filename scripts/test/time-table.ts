import { stripVTControlCharacters } from 'node:util'
import type { Result } from './run-step.ts'

const SLOWEST = 8
const MESSAGE_LINES = 6
const MESSAGE_WIDTH = 300

/** How long each step took, the slowest files, and what was skipped. */
export function timeTable(results: Result[], seconds: number): string {
  const rows = results.map(({ step, passed, seconds, report }) => [
    passed ? 'ok' : 'FAILED',
    step.name,
    inSeconds(seconds),
    report ? `${report.passed} passed${report.failed ? `, ${report.failed} failed` : ''}` : '',
    step.shows,
  ])
  const files = results.flatMap(({ report }) => report?.files ?? [])
  const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST)
  const skipped = results.flatMap(({ report }) => report?.skipped ?? [])
  return [
    'Where the time went',
    ...aligned([...rows, ['', 'total', inSeconds(seconds), '', '']]),
    ...(slowest.length > 0
      ? ['Slowest files', ...aligned(slowest.map((file) => [inSeconds(file.seconds), file.path]))]
      : []),
    ...(skipped.length > 0 ? ['Skipped', ...byGroup(skipped)] : []),
  ].join('\n')
}

/** The group's name has the reason. */
function byGroup(skipped: string[]): string[] {
  const groups = Object.groupBy(skipped, (name) => name.split(': ')[0] ?? name)
  return Object.entries(groups).map(
    ([group, names = []]) => `  ${group}${names.length > 1 ? ` (${names.length})` : ''}`,
  )
}

/** Each test that failed, with the beginning of its message. */
export function failureList(results: Result[]): string[] {
  return results.flatMap(({ step, report }) =>
    (report?.failures ?? []).flatMap(({ path, name, message }) => [
      `  ${step.name}: ${path}: ${name}`,
      ...firstLines(message).map((line) => `    ${line}`),
    ]),
  )
}

const firstLines = (message: string) =>
  stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, MESSAGE_LINES)
    .map((line) => line.slice(0, MESSAGE_WIDTH))

/** The line that says how it ended. */
export function closingLine(results: Result[]): string {
  const sum = (key: 'passed' | 'failed') => results.reduce((total, { report }) => total + (report?.[key] ?? 0), 0)
  return `Tests: ${sum('passed')} passed, ${sum('failed')} failed`
}

const inSeconds = (seconds: number) => `${seconds.toFixed(1)} s`

/** Aligns numbers of seconds to the right, everything else to the left. */
function aligned(rows: string[][]): string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  const pad = (cell: string, width: number) => (cell.endsWith(' s') ? cell.padStart(width) : cell.padEnd(width))
  return rows.map((row) => `  ${row.map((cell, column) => pad(cell, widthOf(column))).join('  ')}`.trimEnd())
}
