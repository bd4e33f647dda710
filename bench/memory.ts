import { readMetric } from './support/call.ts'
import { installPackage } from './support/installed.ts'
import type { Question } from './support/question.ts'
import { type Measure, measure, rowOf } from './support/rounds.ts'
import { startStage } from './support/stage.ts'
import { summarize } from './support/statistics.ts'

const MOST_SECONDS = 150 // a slow machine makes fewer calls

interface Look {
  calls: number
  residentMegabytes: number
  heapMegabytes: number
}

/** What the package needs under load, and whether it keeps memory of every call: then the heap after a collection grows. */
export const memory: Question = {
  id: 'memory',
  asks: 'memory after many calls, against after a tenth of them',
  isLong: true,
  async answer({ fleet, effort, generator, progress }) {
    const stage = await startStage('portal', fleet, [fleet.secret], installPackage())
    const measures: Measure[] = []
    const looks: Look[] = []
    const end = performance.now() + MOST_SECONDS * 1000
    for (let calls = 0; calls < effort.calls && performance.now() < end; ) {
      progress.say(`memory · ${calls.toLocaleString('en')} of ${effort.calls.toLocaleString('en')} calls`)
      const result = await measure(stage, generator, effort.roundMs)
      calls += result.requests
      measures.push(result)
      looks.push(await look(stage.system.port, calls))
    }
    await stage.system.stop()
    const resident = ({ calls, residentMegabytes }: Look) =>
      ({
        what: `resident memory after ${calls.toLocaleString('en')} calls`,
        value: summarize([residentMegabytes]),
        unit: 'MB',
      }) as const
    const budget = { atMost: 200 }
    const [early, late] = [looks.find(({ calls }) => calls >= effort.calls / 10), looks.at(-1)]
    return {
      findings: [
        ...(early && late ? [resident(early), { ...resident(late), budget }] : []),
        { what: 'smallest heap, last third against first', value: summarize([growthOf(looks)]), unit: '×' },
      ],
      systems: [rowOf(stage.name, measures)],
    }
  },
}

async function look(port: number, calls: number): Promise<Look> {
  const megabytes = async (metric: string) => (await readMetric(port, metric)) / 1e6
  const residentMegabytes = await megabytes('process_resident_memory_bytes')
  return { calls, residentMegabytes, heapMegabytes: await megabytes('nodejs_heap_size_used_bytes') }
}

/** The heap rises and falls; its minimum is what stays in use. */
function growthOf(looks: Look[]): number {
  const third = Math.ceil(looks.length / 3)
  const smallest = (some: Look[]) => Math.min(...some.map(({ heapMegabytes }) => heapMegabytes))
  return smallest(looks.slice(-third)) / smallest(looks.slice(0, third))
}
