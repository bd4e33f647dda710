import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Alone, startAlone } from './support/alone.ts'
import type { Child } from './support/children.ts'
import { installPackage } from './support/installed.ts'
import { shareOfMemory, treeOf } from './support/process-tree.ts'
import type { Bench, Effort, Finding, Question } from './support/question.ts'
import { alternateAnew, type Measure, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import type { Fleet } from './support/seed.ts'
import { stageOf } from './support/stage.ts'
import { summarize } from './support/statistics.ts'

const CONNECTIONS = 64 // with 16 there is a moment without a request for one of two workers
const WORKERS = 2
/** After that the other system's connections are opened anew: how they fall to the workers is not the same in all rounds. */
const TURN_MS = 1000
/** Two workers and the load generator. */
const CORES_FOR_ALL = 3
/**
 * How many times the calls of one process two separate ones answer, where a machine with two cores has both for itself. If
 * they answer fewer, others use its second core: no worker can.
 */
const SECOND_CORE = 1.5

/** What a second process that serves is worth, and what it costs. */
export const workers: Question = {
  id: 'P10',
  asks: 'the call of P1 on 64 connections, two workers against one process and against two, and the memory of a further worker',
  async answer(bench) {
    if (process.platform !== 'linux')
      return { findings: [], systems: [], absent: [{ name: 'P10', why: 'it reads what only Linux counts' }] }
    const { fleet } = bench
    const program = installPackage()
    const memory: number[] = []
    const start = async () => {
      const one = await startWith(1, fleet, program)
      const two = await startWith(WORKERS, fleet, program)
      const separate = [await startWith(1, fleet, program), await startWith(1, fleet, program)]
      memory.push(await furtherWorker(fleet, program))
      const on = ({ system }: Alone) => stageOf(system.name, system, fleet, { connections: CONNECTIONS })
      return [await on(one), await on(two), together(await Promise.all(separate.map(on)))] as const
    }
    const effort = { ...bench.effort, ...longer(bench.effort) }
    const measures = await alternateAnew({ ...bench, effort }, 'P10', start, missingOfSecondCore)
    const [ofOne, ofTwo, ofSeparate] = measures
    return {
      findings: findingsOf(...measures, memory),
      systems: [rowOf('1 process', ofOne), rowOf(`${WORKERS} workers`, ofTwo), rowOf(SEPARATE, ofSeparate)],
    }
  },
}

const SEPARATE = '2 separate processes'

/** Processes that share nothing but the load. */
function together(stages: Stage[]): Stage {
  const [first] = stages
  if (!first) throw new Error('There is no process.')
  const systems = stages.map(({ system }) => system)
  const usage = async () => {
    const usages = await Promise.all(systems.map((system) => system.usage()))
    return { cpuMicros: usages.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0) }
  }
  const stop = async () => void (await Promise.all(systems.map((system) => system.stop())))
  const system = { ...first.system, name: SEPARATE, usage, stop }
  return { ...first, name: SEPARATE, system, ports: systems.map(({ port }) => port) }
}

const missingOfSecondCore = ([one, , separate]: Measure[]) =>
  one && separate ? 1 - separate.requestsPerSecond / one.requestsPerSecond / SECOND_CORE : 0

/** Two workers depend on what the machine does with its second core: longer turns, and more starts. */
const longer = ({ instances }: Effort): Partial<Effort> => ({
  roundMs: 3 * TURN_MS,
  turnMs: TURN_MS,
  instances: 2 * instances,
})

function findingsOf(ofOne: Measure[], ofTwo: Measure[], ofSeparate: Measure[], memory: number[]): Finding[] {
  const isAlone = availableParallelism() >= CORES_FOR_ALL
  return [
    {
      what: `requests a second, ${WORKERS} workers against 1 process`,
      value: ratioOf(ofTwo, ofOne, 'requestsPerSecond'),
      unit: '×',
      budget: { atLeast: isAlone ? 1.6 : 1.4 },
    },
    {
      what: `the same of ${SEPARATE}, to compare`,
      value: ratioOf(ofSeparate, ofOne, 'requestsPerSecond'),
      unit: '×',
    },
    {
      what: `CPU a request, ${WORKERS} workers and their parent against 1 process`,
      value: ratioOf(ofTwo, ofOne, 'cpuMicros'),
      unit: '×',
      budget: { atMost: 1.1 },
    },
    {
      what: `the same against ${SEPARATE}, to compare`,
      value: ratioOf(ofTwo, ofSeparate, 'cpuMicros'),
      unit: '×',
    },
    { what: 'memory of a further worker (PSS)', value: summarize(memory), unit: 'MB', budget: { atMost: 70 } },
  ]
}

/** Once every worker serves. */
async function startWith(count: number, fleet: Fleet, program: string): Promise<Alone> {
  const settings = { ...fleet.settings, WORKERS: String(count) }
  const portal = await startAlone(count === 1 ? '1 process' : `${count} workers`, { ...fleet, settings }, program)
  if (count > 1) while (!haveAllBegun(portal.child, portal.pid, count)) await pause(50)
  return portal
}

/** Whether each worker serves, by the parent's log. */
function haveAllBegun({ printed }: Child, parent: number, count: number): boolean {
  const [, ...workers] = treeOf(parent)
  const log = printed()
  return workers.length === count && workers.every((pid) => log.includes(`"pid":${pid},"serving"`))
}

/** What three workers take more than two, each having started. */
async function furtherWorker(fleet: Bench['fleet'], program: string): Promise<number> {
  const takenBy = async (count: number) => {
    const { system, pid } = await startWith(count, fleet, program)
    const bytes = treeOf(pid).reduce((sum, each) => sum + shareOfMemory(each), 0)
    await system.stop()
    return bytes / 1e6
  }
  const two = await takenBy(WORKERS)
  return (await takenBy(WORKERS + 1)) - two
}
