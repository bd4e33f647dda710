import type { Generator } from './generator.ts'
import type { Progress } from './progress.ts'
import type { SqliteFleet } from './seed.ts'
import type { Summary } from './statistics.ts'

/** How long and how often to measure. */
export interface Effort {
  rounds: number
  roundMs: number
  /** How long a system is under load before the next one's turn; 50 by default. */
  turnMs?: number
  warmUpMs: number
  /** A system is warm once it has answered this many. */
  warmUpRequests: number
  /** How often systems are restarted during the rounds. */
  instances: number
  starts: number
  manyKeys: number
  manyDevices: number
  revokes: number
  calls: number
  visits: number
  /** How long a caller sends the worst that limits allow. */
  attackMs: number
}

/** What every question uses. */
export interface Bench {
  effort: Effort
  progress: Progress
  generator: Generator
  /** 1,000 devices and 1,000 keys, created once and shared: no question changes it. */
  fleet: SqliteFleet
}

/** One budget of DESIGN.md, or another measurement. */
export interface Question {
  id: string
  asks: string
  /** Not part of a quick run, unless named. */
  isLong?: boolean
  answer(bench: Bench): Promise<Answer>
}

export interface Answer {
  findings: Finding[]
  /** The results of the systems under load. */
  systems: SystemRow[]
  /** What could not be measured on this machine. */
  absent?: Absent[]
}

export interface Absent {
  name: string
  why: string
}

/** Why something is missing, in one line: the line of a process's output that names an error. */
export function absentBy(name: string, error: unknown): Absent {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n')
  return { name, why: (lines.find((line) => /error\b/i.test(line)) ?? lines[0] ?? '').trim().slice(0, 200) }
}

/** Points, and cumulative layout shift. */
type Lighthouse = 'of 100' | 'CLS'

/** A number, and its budget. */
export interface Finding {
  what: string
  value: Summary
  unit:
    | '×'
    | '%'
    | 's'
    | 'ms'
    | 'µs'
    | 'MB'
    | 'KB'
    | 'files'
    | 'queries'
    | 'queries a request'
    | 'answers'
    | 'a second'
    | Lighthouse
  /** Only an aim is no budget: it can be missed. */
  budget?: { atLeast: number; aim?: number } | { atMost: number } | { aim: number }
}

export interface SystemRow {
  name: string
  requestsPerSecond: Summary
  /** CPU time of the server for one request. */
  cpuMicros: Summary
  p50Ms: Summary
  p99Ms: Summary
  /** Cores that the server used: 1 is the most that one thread can use. */
  cores: Summary
  /** CPU time of the load generator for one request. */
  generatorCpuMicros: Summary
}

/** A bench with half the rounds, each half as long: for questions without a budget. */
export function calmer(bench: Bench): Bench {
  const { rounds, roundMs, warmUpMs } = bench.effort
  const effort = { ...bench.effort, rounds: Math.ceil(rounds / 2), roundMs: roundMs / 2, warmUpMs: warmUpMs / 2 }
  return { ...bench, effort }
}

/** Whether a finding meets its budget; undefined without one, and with only an aim. */
export function isMet({ value: { median }, budget }: Finding): boolean | undefined {
  if (!budget) return undefined
  if ('atMost' in budget) return median <= budget.atMost
  return 'atLeast' in budget ? median >= budget.atLeast : undefined
}
