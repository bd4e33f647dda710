import type { Generator } from './generator.ts'
import type { Progress } from './progress.ts'
import type { Fleet } from './seed.ts'
import type { Summary } from './statistics.ts'

/** How long and how often to measure. */
export interface Effort {
  rounds: number
  roundMs: number
  warmUpMs: number
  starts: number
  manyKeys: number
}

/** What every question works with. */
export interface Bench {
  effort: Effort
  progress: Progress
  generator: Generator
  /** 1,000 devices and 1,000 keys, made once and shared: whoever uses it leaves it as it is. */
  fleet: Fleet
}

/** One budget of DESIGN.md, or something else worth knowing. */
export interface Question {
  id: string
  asks: string
  answer(bench: Bench): Promise<Answer>
}

export interface Answer {
  findings: Finding[]
  /** What the systems did under load, for a closer look. */
  systems: SystemRow[]
}

/** A number, and where it has to lie. */
export interface Finding {
  what: string
  value: Summary
  unit: '×' | 's' | 'MB' | 'queries'
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

/** Whether a finding lies where it has to; undefined when nothing was asked of it. */
export function isMet({ value: { median }, budget }: Finding): boolean | undefined {
  if (!budget) return undefined
  return 'atLeast' in budget ? median >= budget.atLeast : median <= budget.atMost
}
