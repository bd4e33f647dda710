import { type Absent, type Finding, isMet, type SystemRow } from './question.ts'
import type { Summary } from './statistics.ts'

/** The questions with their results. */
export interface Answered {
  id: string
  asks: string
  findings: Finding[]
  systems: SystemRow[]
  absent?: Absent[]
}

/** The budgets and their verdicts, as a table for a terminal and for Markdown. */
export function findingsTable(answers: Answered[]): string {
  const rows = answers.flatMap(({ id, findings }) =>
    findings.map((finding, i) => {
      const { what, value, unit } = finding
      return [
        i === 0 ? id : '',
        what,
        show(finding, value.median),
        spread(value, digitsOf(unit)),
        budgetOf(finding),
        verdictOf(finding),
      ]
    }),
  )
  return table([['#', 'What', 'Measured', 'Half of the rounds', 'Budget', 'Verdict'], ...rows])
}

/** The measurements behind the ratios. */
export function systemsTable(answers: Answered[]): string {
  const rows = answers.flatMap(({ id, systems, absent = [] }) => [
    ...systems.map((row, i) => [
      i === 0 ? id : '',
      row.name,
      Math.round(row.requestsPerSecond.median).toLocaleString('en'),
      row.cpuMicros.median.toFixed(1),
      spread(row.cpuMicros, 1),
      row.p50Ms.median.toFixed(2),
      row.p99Ms.median.toFixed(2),
      row.cores.median.toFixed(2),
      row.generatorCpuMicros.median.toFixed(1),
    ]),
    ...absent.map(({ name }) => [systems.length === 0 ? id : '', name, ...Array<string>(7).fill('–')]),
  ])
  const head = [
    '#',
    'System',
    'Requests/s',
    'CPU µs a request',
    'Half of the rounds',
    'p50 ms',
    'p99 ms',
    'Cores',
    'Generator µs',
  ]
  return rows.length === 0 ? '' : table([head, ...rows])
}

/** What could not be measured, and why, one line each. */
export const absentLines = (answers: Answered[]) =>
  answers.flatMap(({ id, absent = [] }) => absent.map(({ name, why }) => `${id}: no ${name} here. ${why}`)).join('\n\n')

/** Whether a budget was missed. */
export const hasMissed = (answers: Answered[]) => judged(answers).some(({ met }) => !met)

/** The verdicts in a sentence; what was missed, or could not be measured, one line each. */
export function verdictLine(answers: Answered[]): string {
  const all = judged(answers)
  const missed = all.filter(({ met }) => !met)
  const lines = missed.map(({ id, finding }) => {
    return `  missed: ${id}, ${finding.what}: ${show(finding, finding.value.median)}, not ${budgetOf(finding)}`
  })
  const unknown = answers.flatMap(({ id, absent = [] }) =>
    absent.map(({ name }) => `  not measured: ${id}, no ${name} here`),
  )
  const verdict =
    all.length === 0 ? 'No budget was measured.' : `${all.length - missed.length} of ${all.length} budgets met.`
  return [verdict, ...lines, ...unknown].join('\n')
}

const judged = (answers: Answered[]) =>
  answers.flatMap(({ id, findings }) =>
    findings.flatMap((finding) => {
      const met = isMet(finding)
      return met === undefined ? [] : [{ id, finding, met }]
    }),
  )

const show = ({ unit }: Finding, value: number) => `${value.toFixed(digitsOf(unit))} ${unit}`

const WHOLE: Finding['unit'][] = ['MB', 'KB', 'files', 'queries', 'a second', 'of 100']
const digitsOf = (unit: Finding['unit']) => (WHOLE.includes(unit) ? 0 : unit === 'CLS' ? 3 : 2)

const spread = ({ low, high }: Summary, digits: number) => `${low.toFixed(digits)} – ${high.toFixed(digits)}`

function budgetOf({ budget, unit }: Finding): string {
  if (!budget) return ''
  if ('atMost' in budget) return `≤ ${budget.atMost} ${unit}`
  if (!('atLeast' in budget)) return `aiming at ${budget.aim}`
  return `≥ ${budget.atLeast} ${unit}${budget.aim === undefined ? '' : `, aiming at ${budget.aim}`}`
}

function verdictOf(finding: Finding): string {
  const met = isMet(finding)
  return met === undefined ? '' : met ? 'met' : '**not met**'
}

export function table(rows: string[][]): string {
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(cell.length, most[i] ?? 3)), [])
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const [head = [], ...others] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}
