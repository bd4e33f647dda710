import { startAlone } from './support/alone.ts'
import { installPackage } from './support/installed.ts'
import type { Answer, Finding, Question } from './support/question.ts'
import { type Resident, residentOf } from './support/resident.ts'
import { type Measure, measure, rowOf } from './support/rounds.ts'
import { stageOf } from './support/stage.ts'
import { summarize } from './support/statistics.ts'

const BUDGET = { calls: 1_000_000, atMost: 200 }
/** For 1,000 calls a second; a machine that is slower than that has no verdict. */
const MOST_SECONDS = 1000

interface Look {
  calls: number
  resident: Resident
}

/** What the package needs under load, and whether it keeps memory of every call: then the heap after a collection grows. */
export const memory: Question = {
  id: 'memory',
  asks: 'memory after many calls, against after a tenth of them',
  isLong: true,
  async answer({ fleet, effort, generator, progress }) {
    if (process.platform !== 'linux')
      return { findings: [], systems: [], absent: [{ name: 'memory', why: 'it reads what only Linux counts' }] }
    const { system, pid } = await startAlone('portal', fleet, installPackage())
    const stage = await stageOf('portal', system, fleet)
    const measures: Measure[] = []
    const looks: Look[] = []
    const end = performance.now() + MOST_SECONDS * 1000
    for (let calls = 0; calls < effort.calls && performance.now() < end; ) {
      progress.say(`memory · ${calls.toLocaleString('en')} of ${effort.calls.toLocaleString('en')} calls`)
      const result = await measure(stage, generator, effort.roundMs)
      calls += result.requests
      measures.push(result)
      looks.push({ calls, resident: await residentOf(pid, system.port) })
    }
    await system.stop()
    return { ...judge(looks, effort.calls), systems: [rowOf('portal', measures)] }
  },
}

/** Fewer calls than the budget is about are no verdict. */
export function judge(looks: Look[], asked: number): Pick<Answer, 'findings' | 'absent'> {
  const [early, late] = [looks.find(({ calls }) => calls >= asked / 10), looks.at(-1)]
  const growth: Finding = {
    what: 'smallest heap, last third against first',
    value: summarize([growthOf(looks)]),
    unit: '×',
  }
  if (!early || !late) return { findings: [growth] }
  const megabytes = (what: string, bytes: number) => ({ what, value: summarize([bytes / 1e6]), unit: 'MB' }) as const
  const after = ({ calls, resident }: Look) =>
    megabytes(`resident memory after ${calls.toLocaleString('en')} calls`, resident.all)
  const isJudged = late.calls >= BUDGET.calls
  const findings = [
    after(early),
    { ...after(late), ...(isJudged ? { budget: { atMost: BUDGET.atMost } } : {}) },
    megabytes('of it, V8’s heap', late.resident.heap),
    megabytes('of it, files: Node.js itself', late.resident.files),
    megabytes('of it, the rest', late.resident.others),
    growth,
  ]
  const name = `verdict on memory after ${BUDGET.calls.toLocaleString('en')} calls`
  const why = `There were ${late.calls.toLocaleString('en')}.`
  return isJudged ? { findings } : { findings, absent: [{ name, why }] }
}

/** The heap rises and falls; its minimum is what stays in use. */
function growthOf(looks: Look[]): number {
  const third = Math.ceil(looks.length / 3)
  const smallest = (some: Look[]) => Math.min(...some.map(({ resident }) => resident.heapUsed))
  return smallest(looks.slice(-third)) / smallest(looks.slice(0, third))
}
