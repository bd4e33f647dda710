import type { Generator } from './generator.ts'
import type { Progress } from './progress.ts'
import type { SqliteFleet } from './seed.ts'
import type { Summary } from './statistics.ts'

/** How long and how often to measure. */
export interface Effort {
  rounds: number
  roundMs: number
  /** How long a system is kept busy before it is the next one's turn; 50 unless told. */
  turnMs?: number
  warmUpMs: number
  /** A system is not warm before it has answered so many. */
  warmUpRequests: number
  /** How often systems are started anew in the course of the rounds. */
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

/** What every question works with. */
export interface Bench {
  effort: Effort
  progress: Progress
  generator: Generator
  /** 1,000 devices and 1,000 keys, made once and shared: whoever uses it leaves it as it is. */
  fleet: SqliteFleet
}

/** One budget of DESIGN.md, or something else worth knowing. */
export interface Question {
  id: string
  asks: string
  /** Not part of a quick run, unless asked for by name. */
  noTimeout?: boolean
  answer(bench: Bench): Promise<Answer>
}

export interface Answer {
  findings: Finding[]
  /** What the systems did under load, for a closer look. */
  systems: SystemRow[]
  /** What could not be measured on this machine. */
  absent?: Absent[]
}

export interface Absent {
  name: string
  why: string
}

/** Why something is not there, in a line: of a process's last words the one that names an error. */
export function absentBy(name: string, error: unknown): Absent {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n')
  return { name, why: (lines.find((line) => /error\b/i.test(line)) ?? lines[0] ?? '').trim().slice(0, 200) }
}

/** A number, and where it has to lie. */
export interface Finding {
  what: string
  value: Summary
  unit: '×' | '%' | 's' | 'ms' | 'µs' | 'MB' | 'KB' | 'queries' | 'queries a request'
  budget?: { atLeast: number; aim?: number } | { atMost: number }
}

export interface SystemRow {
  name: string
  requestsPerSecond: Summary
  /** Of the server, for one request. */
  cpuMicros: Summary
  p50Ms: Summary
  p99Ms: Summary
  /** Cores that the server kept busy: 1 is all that one thread can do. */
  cores: Summary
  /** Of the load generator, for one request. */
  generatorCpuMicros: Summary
}

/** The same with half the rounds, each half as long: for what has no budget. */
export function calmer(bench: Bench): Bench {
  const { rounds, roundMs, warmUpMs } = bench.effort
  const effort = { ...bench.effort, rounds: Math.ceil(rounds / 2), roundMs: roundMs / 2, warmUpMs: warmUpMs / 2 }
  return { ...bench, effort }
}

/** Whether a finding lies where it has to; undefined when nothing was asked of it. */
export function isMet({ value: { median }, budget }: Finding): boolean | undefined {
  if (!budget) return undefined
  return 'atLeast' in budget ? median >= budget.atLeast : median <= budget.atMost
}
