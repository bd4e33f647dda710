import type { Expected, LoadResult } from './message.ts'
import type { Bench, SystemRow } from './question.ts'
import { quantile, type Summary, summarize } from './statistics.ts'
import { undisturbed } from './stolen-time.ts'
import type { System } from './system.ts'

export const CONNECTIONS = 16
const MAX_BLOCK_MS = 200
/**
 * At the beginning of a turn the CPU caches hold the data of others. It does not count: a busy server rarely takes
 * turns.
 */
const LEAD_IN_MS = 50
const WARM_UP_PASSES = 4
const MOST_WARM_UP_PASSES = 12
const MOST_TOLD = 5

/** A system, its requests, and the expected responses. */
export interface Stage {
  name: string
  system: System
  requests: string[]
  /** One for all requests, or one for each. */
  expected: Expected | Expected[]
  /** 16 by default. */
  connections?: number
  /** Ports of several servers that share the connections; that of the system by default. */
  ports?: number[]
}

/** The measurement of a stage in one round. */
export interface Measure {
  requests: number
  requestsPerSecond: number
  cpuMicros: number
  p50Ms: number
  p99Ms: number
  cores: number
  generatorCpuMicros: number
}

/** One list for each stage: the n-th of each belongs to the same round. */
type Measures<Stages extends readonly Stage[]> = { [I in keyof Stages]: Measure[] }

/** The share of a round that the machine did not give, by what was measured in it; more than a little, and it is disturbed. */
type Missing = (round: Measure[]) => number

/**
 * Measures stages round by round. Within a round they take many short turns, and another one begins each time, so that other
 * load on the machine affects all of them alike. A round that other machines disturbed is measured again.
 */
export async function alternate<const Stages extends readonly Stage[]>(
  bench: Bench,
  title: string,
  stages: Stages,
  missing?: Missing,
): Promise<Measures<Stages>> {
  const { effort, progress } = bench
  const measures = stages.map((): Measure[] => [])
  progress.say(`${title} · warming up`)
  await warmUp(bench, stages)
  for (let round = 1; round <= effort.rounds; round++) {
    const last = stages.slice(0, MOST_TOLD).map(lastOf(measures))
    progress.say([title, `round ${round} of ${effort.rounds}`, ...last].join(' · '))
    const results = await undisturbed(() => takeTurns(bench, stages), missing)
    for (const [i, result] of results.entries()) measures[i]?.push(result)
  }
  return measures as Measures<Stages> // one list for each stage, in the same order
}

/** Measures systems that are started several times: one process of a program is faster than the next. */
export async function alternateAnew<const Stages extends readonly Stage[]>(
  bench: Bench,
  title: string,
  start: () => Promise<Stages>,
  missing?: Missing,
): Promise<Measures<Stages>> {
  const { instances } = bench.effort
  const effort = { ...bench.effort, rounds: Math.ceil(bench.effort.rounds / instances) }
  const all: Measure[][] = []
  for (let instance = 1; instance <= instances; instance++) {
    const stages = await start()
    const measures = await alternate(
      { ...bench, effort },
      `${title} · start ${instance} of ${instances}`,
      stages,
      missing,
    )
    for (const [i, some] of measures.entries()) all[i] = [...(all[i] ?? []), ...some]
    for (const system of new Set(stages.map((stage) => stage.system))) await system.stop()
  }
  return all as Measures<Stages> // every start has the same stages
}

/** For some time, and until a system has compiled its hot code: on a busy machine that takes longer. */
async function warmUp({ generator, effort }: Bench, stages: readonly Stage[]): Promise<void> {
  const answered = new Map(stages.map(({ system }) => [system, 0]))
  for (let pass = 1; pass <= MOST_WARM_UP_PASSES; pass++) {
    for (const stage of stages) {
      const before = answered.get(stage.system) ?? 0
      if (pass > WARM_UP_PASSES && before >= effort.warmUpRequests) continue
      const { latenciesMs } = await run(stage, generator, effort.warmUpMs / WARM_UP_PASSES)
      answered.set(stage.system, before + latenciesMs.length)
    }
  }
}

async function takeTurns({ generator, effort }: Bench, stages: readonly Stage[]): Promise<Measure[]> {
  const { roundMs, turnMs = MAX_BLOCK_MS } = effort
  const turns = stages.map((): Turn[] => [])
  for (let turn = 0; turn < roundMs / turnMs; turn++) {
    for (const [i, stage] of rotated([...stages.entries()], turn)) {
      await run(stage, generator, LEAD_IN_MS)
      turns[i]?.push(await takeTurn(stage, generator, turnMs))
    }
  }
  return turns.map(summarizeTurns)
}

/** Each is the first in turn, and none takes two turns one after the other, which would find everything in the caches. */
const rotated = <Item>(items: Item[], by: number): Item[] => {
  const first = by % items.length
  return [...items.slice(first), ...items.slice(0, first)]
}

/** Keeps a stage busy for a while. */
export async function measure(stage: Stage, generator: Bench['generator'], durationMs: number): Promise<Measure> {
  return summarizeTurns([await takeTurn(stage, generator, durationMs)])
}

interface Turn extends LoadResult {
  serverCpuMicros: number
}

async function takeTurn(stage: Stage, generator: Bench['generator'], durationMs: number): Promise<Turn> {
  const before = await stage.system.usage()
  const result = await run(stage, generator, durationMs)
  return { ...result, serverCpuMicros: (await stage.system.usage()).cpuMicros - before.cpuMicros }
}

const sent = new WeakMap<Stage, number>()

/** Continues with the requests where the last turn ended. */
async function run(stage: Stage, generator: Bench['generator'], durationMs: number): Promise<LoadResult> {
  const { system, requests, expected, connections = CONNECTIONS, ports = [system.port] } = stage
  const from = sent.get(stage) ?? 0
  const result = await generator.run({ ports, requests, from, expected, connections, durationMs })
  sent.set(stage, from + result.latenciesMs.length)
  return result
}

function summarizeTurns(turns: Turn[]): Measure {
  const total = (what: 'seconds' | 'cpuMicros' | 'serverCpuMicros') =>
    turns.reduce((sum, { [what]: value }) => sum + value, 0)
  const latencies = turns.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b)
  const requests = latencies.length
  return {
    requests,
    requestsPerSecond: requests / total('seconds'),
    cpuMicros: total('serverCpuMicros') / requests,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    cores: total('serverCpuMicros') / 1e6 / total('seconds'),
    generatorCpuMicros: total('cpuMicros') / requests,
  }
}

const lastOf = (measures: Measure[][]) => (stage: Stage, i: number) => {
  const last = measures[i]?.at(-1)
  return last ? `${stage.name} ${Math.round(last.requestsPerSecond).toLocaleString('en')}/s` : stage.name
}

/** One stage against another, round by round, by the given number. */
export function ratioOf(measures: Measure[], to: Measure[], what: keyof Measure): Summary {
  return summarize(measures.map((measure, i) => measure[what] / (to[i]?.[what] ?? Number.NaN)))
}

/** The results of a stage over all rounds. */
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
