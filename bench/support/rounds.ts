import type { Expected } from './message.ts'
import type { Bench, SystemRow } from './question.ts'
import { type Summary, summarize } from './statistics.ts'
import type { System } from './system.ts'

export const CONNECTIONS = 16
const LEAD_IN_MS = 200

/** A system, what it is asked, and what it must answer. */
export interface Stage {
  name: string
  system: System
  requests: string[]
  expected: Expected
  /** 16 unless told. */
  connections?: number
}

/** What one round showed of a stage. */
export interface Measure {
  requests: number
  requestsPerSecond: number
  cpuMicros: number
  p50Ms: number
  p99Ms: number
  cores: number
  generatorCpuMicros: number
}

/**
 * Measures stages in turn, round by round, every other round backwards, so that whatever else the machine does meets
 * all of them alike. One list a stage: the n-th of each belongs to the same round.
 */
export async function alternate<const Stages extends readonly Stage[]>(
  { generator, effort, progress }: Bench,
  title: string,
  stages: Stages,
): Promise<{ [I in keyof Stages]: Measure[] }> {
  const measures = stages.map((): Measure[] => [])
  for (const stage of stages) {
    progress.say(`${title} · warming up ${stage.name}`)
    await generator.run(loadOf(stage, effort.warmUpMs))
  }
  for (let round = 1; round <= effort.rounds; round++) {
    const turn = stages.map((stage, i) => ({ stage, i }))
    if (round % 2 === 0) turn.reverse()
    for (const { stage, i } of turn) {
      progress.say(`${title} · round ${round} of ${effort.rounds} · ${stages.map(lastOf(measures)).join(' · ')}`)
      await generator.run(loadOf(stage, LEAD_IN_MS))
      measures[i]?.push(await measure(stage, generator, effort.roundMs))
    }
  }
  return measures as { [I in keyof Stages]: Measure[] } // one list a stage, in the same order
}

const loadOf = ({ system, requests, expected, connections = CONNECTIONS }: Stage, durationMs: number) => ({
  port: system.port,
  requests,
  expected,
  connections,
  durationMs,
})

/** Keeps a stage busy for a while. */
export async function measure(stage: Stage, generator: Bench['generator'], durationMs: number): Promise<Measure> {
  const before = await stage.system.usage()
  const { requests, seconds, p50Ms, p99Ms, cpuMicros } = await generator.run(loadOf(stage, durationMs))
  const cpu = (await stage.system.usage()).cpuMicros - before.cpuMicros
  return {
    requests,
    requestsPerSecond: requests / seconds,
    cpuMicros: cpu / requests,
    p50Ms,
    p99Ms,
    cores: cpu / 1e6 / seconds,
    generatorCpuMicros: cpuMicros / requests,
  }
}

const lastOf = (measures: Measure[][]) => (stage: Stage, i: number) => {
  const last = measures[i]?.at(-1)
  return last ? `${stage.name} ${Math.round(last.requestsPerSecond).toLocaleString('en')}/s` : stage.name
}

/** One stage against another, round by round, in what is named. */
export function ratioOf(measures: Measure[], to: Measure[], what: keyof Measure): Summary {
  return summarize(measures.map((measure, i) => measure[what] / (to[i]?.[what] ?? Number.NaN)))
}

/** What a stage did in all its rounds. */
export function rowOf(name: string, measures: Measure[]): SystemRow {
  const all = (what: keyof Measure) => summarize(measures.map((measure) => measure[what]))
  return {
    name,
    requestsPerSecond: all('requestsPerSecond'),
    cpuMicros: all('cpuMicros'),
    p50Ms: all('p50Ms'),
    p99Ms: all('p99Ms'),
    cores: all('cores'),
    generatorCpuMicros: all('generatorCpuMicros'),
  }
}
