import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, type } from 'node:os'
import { dirname, join } from 'node:path'
import { cpuChart, summaryOf } from './chart.ts'
import { isMet } from './question.ts'
import { withResults } from './results-page.ts'
import { type Answered, absentLines, findingsTable, systemsTable } from './table.ts'

const BENCH = join(import.meta.dirname, '..')
const README = join(BENCH, 'README.md')
const CHART = `cpu-${process.arch}.svg`

/** The conditions of the measurement. */
export interface Conditions {
  at: string
  commit: string
  command: string
  machine: string
  /** The load average at the start. */
  loadBefore: number
  /** The share of the CPU time that other machines on the same hardware took. */
  stolenShare: number
  tookSeconds: number
}

export function conditionsOf(
  args: string[],
  measured: Pick<Conditions, 'loadBefore' | 'stolenShare' | 'tookSeconds'>,
): Conditions {
  const processors = cpus()
  return {
    at: new Date().toISOString(),
    commit: commit(),
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    machine: `${processors.length} cores (${processors[0]?.model ?? 'unknown'}), ${system()}, Node.js ${process.versions.node}`,
    ...measured,
  }
}

/** The origin of the numbers, in one line. */
export const describe = ({ at, commit, command, machine, loadBefore, stolenShare, tookSeconds }: Conditions) =>
  `\`${command}\`, ${at.slice(0, 10)}, commit ${commit}, ${machine}, load ${loadBefore.toFixed(1)} before, ${Math.round(stolenShare * 100)} % of the CPU time stolen, ${Math.round(tookSeconds)} s.`

/** Writes all results to bench/results/latest.json, and returns the path. */
export function writeJson(conditions: Conditions, answers: Answered[]): string {
  const path = join(BENCH, 'results', 'latest.json')
  const questions = answers.map(({ findings, ...answer }) => ({
    ...answer,
    findings: findings.map((finding) => ({ ...finding, met: isMet(finding) })),
  }))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify({ ...conditions, questions }, null, 2)}\n`)
  return path
}

/** Replaces the numbers of this architecture in bench/README.md, and the chart beside it. */
export function writeReadme(conditions: Conditions, answers: Answered[]): void {
  const tables = [findingsTable(answers), systemsTable(answers), absentLines(answers)]
  const text = [describe(conditions), drawChart(answers), ...tables].filter((part) => part !== '').join('\n\n')
  writeFileSync(README, withResults(readFileSync(README, 'utf8'), process.arch, text))
}

/** The portal among all systems with the same load. */
function drawChart(answers: Answered[]): string {
  const rows = (answers.find(({ id }) => id === 'P2') ?? answers.find(({ id }) => id === 'P1'))?.systems
  if (!rows) return ''
  const title = 'CPU time of one call: 20 of 1,000 devices with a key'
  writeFileSync(join(BENCH, CHART), cpuChart(title, rows))
  return `![${summaryOf(title, rows)}](${CHART})`
}

function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: BENCH, encoding: 'utf8', stdio: 'pipe' }).trim()
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : '')
  } catch {
    return 'none'
  }
}

function system(): string {
  try {
    return /^PRETTY_NAME="?(.+?)"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? type()
  } catch {
    return `${type()} ${release()}`
  }
}
