import { bodyOf, type Call } from './call.ts'
import type { Problem } from './judge.ts'
import type { DatabaseName } from './store.ts'

/** Something that must not be, with all that it takes to see it again. */
export interface Finding {
  step: number
  /** How the documents were made: at random, or as dear as can be in one of several ways. */
  shape: string
  caller: string
  path: string
  problem: Problem
  /** Whether it is about time. */
  isTimed: boolean
  /** What was sent at once, made smaller where that was simple. */
  calls: readonly Call[]
  /** After which it was found. */
  second: number
}

export interface RunReport {
  database: DatabaseName
  seed: number
  findings: Finding[]
  /** What only the whole run shows. */
  ofAll: Problem[]
  steps: number
  skipped: number
  mutations: number
  took: number
  restarts: number
  /** The p99 of the bystander before the first document. */
  baselineMs: number
  /** What it was judged by. */
  heldMs: number
  bystanderP99: number
  /** Without what a busy machine took. Only told: each step in which it waited too long was taken again. */
  bystanderP99Corrected: number
  bystanderMax: number
  /** The p99 of its writes before the first document. */
  baselineWritesMs: number
  heldWritesMs: number
  bystanderWritesP99: number
  /** While nobody else did anything. */
  idleWritesP99: number
  bystanderWritesMax: number
  /** By what stored them. */
  bytesOfPoint: Record<string, number>
  /** Answers to the bystander that were no page of devices. */
  bystanderRefused: string[]
  codes: Record<string, number>
}

const MOST_SHOWN = 4000

/** Nothing was found, and the bystander was never held up for long. */
export const hasPassed = (report: RunReport) => wrongIn(report).length === 0

/** All that is wrong, in a line each; findings are told apart from it. */
function wrongIn({ findings, ofAll, bystanderRefused }: RunReport): string[] {
  return [
    ...findings.map(({ step, problem }) => `step ${step}: ${problem.kind}`),
    ...ofAll.map(({ words }) => words),
    ...bystanderRefused
      .filter((words) => !isBusy(words))
      .slice(0, 3)
      .map((words) => `the bystander was answered ${words.slice(0, 200)}`),
  ]
}

/** What a busy machine can bring about as well counts as a finding, when it happens again. */
const isBusy = (words: string) => words.startsWith('503 ') && words.includes('"code":"UNAVAILABLE"')

/** What was sent and seen, and every finding, the shortest first. */
export function describe(report: RunReport): string {
  const { database, seed, findings, steps, skipped, mutations, took, restarts, codes } = report
  const shortest = findings.toSorted((a, b) => lengthOf(a) - lengthOf(b))
  return [
    `${database}, seed ${seed}: ${steps} steps in ${took.toFixed(0)} s (${mutations} with mutations, ${skipped} left out as already found), ${restarts} restarts`,
    `  bystander: p99 ${report.bystanderP99.toFixed(1)} ms (${report.bystanderP99Corrected.toFixed(1)} ms without what a busy machine took), longest ${report.bystanderMax.toFixed(0)} ms; before the run p99 ${report.baselineMs.toFixed(1)} ms; held up means more than ${report.heldMs.toFixed(0)} ms`,
    `  its writes: p99 ${report.bystanderWritesP99.toFixed(1)} ms, longest ${report.bystanderWritesMax.toFixed(0)} ms, both without what a busy machine took; in between, with nobody else, p99 ${report.idleWritesP99.toFixed(1)} ms; before the run ${report.baselineWritesMs.toFixed(1)} ms; held up means more than ${report.heldWritesMs.toFixed(0)} ms`,
    `  bytes in the database for a point: ${listed(report.bytesOfPoint)}`,
    `  answers: ${listed(codes)}`,
    ...shortest.map((finding) => findingText(finding, report)),
    hasPassed(report) ? '  nothing found' : `  FAILED: ${wrongIn(report).join('; ')}`,
  ].join('\n')
}

const listed = (numbers: Record<string, number>) =>
  Object.entries(numbers)
    .map(([name, number]) => `${name} ${number}`)
    .join(', ')

/** Many at once, of which none may be at fault alone. */
export const isVolley = ({ calls }: Finding) => calls.length > 1

const lengthOf = ({ calls }: Finding) => calls.reduce((sum, call) => sum + bodyOf(call).length, 0)

function findingText(finding: Finding, { database, seed }: RunReport): string {
  const { step, shape, caller, path, problem, calls, second } = finding
  const [call] = calls
  const body = call ? bodyOf(call) : ''
  const others = calls.length > 1 ? `, and ${calls.length - 1} like it at once` : ''
  return [
    '',
    `  ${problem.kind} after ${second.toFixed(1)} s: ${problem.words.slice(0, 400)}`,
    `    step ${step} (${shape}), as ${caller}, POST ${path}${others}:`,
    `    ${body.length > MOST_SHOWN ? `${body.slice(0, MOST_SHOWN)}… (${body.length} characters)` : body}`,
    `    again: npm run test:fuzz -- --seed ${seed} --database ${database} --step ${step}`,
  ].join('\n')
}
