import type { Stage } from './attempt.ts'
import { isPlain, readSchema } from './call.ts'
import type { JudgeOptions } from './judge.ts'
import { isKnown } from './known-findings.ts'
import type { Finding } from './report.ts'
import { takeScene } from './scene.ts'
import { isCheap, type Step, stepOf } from './steps.ts'
import { sweepTargets } from './sweep.ts'
import { takeAlone, takeTogether } from './take.ts'
import type { MemorySample } from './whole-run.ts'
import type { World } from './world.ts'

const RESTORE_EVERY = 20
const MOST_FINDINGS = 40
const SAMPLE_SECONDS = 0.5
/** A busy machine makes a run longer, up to so many times, and not one that has asked next to nothing. */
const FEWEST_STEPS = 300
const LONGEST_TIMES = 6

export interface LoopOptions {
  seed: number
  seconds: number
  /** This step alone. */
  only?: number | undefined
  say(words: string): void
}

/** One step after the other until time is over: the cheap ones some at once, the dear ones alone. */
export async function sendAll(stage: Stage, world: World, judging: JudgeOptions, options: LoopOptions) {
  const { seed, seconds, only, say } = options
  const schema = readSchema()
  const { known, callers, sender } = world
  const source = { schema, seed, known, callers, sender, targets: sweepTargets(schema) }
  const findings: Finding[] = []
  const memory: MemorySample[] = []
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  const counts = { steps: only ?? 0, skipped: 0, mutations: 0 }
  let sampledAt = 0
  const isTime = () => elapsed() < seconds || (counts.steps < FEWEST_STEPS && elapsed() < LONGEST_TIMES * seconds)
  for (let round = 1; isTime() && findings.length < MOST_FINDINGS; round++) {
    const steps =
      only === undefined ? nextSteps(counts.steps, (number) => stepOf(number, source)) : [stepOf(only, source)]
    counts.steps += steps.length
    const fresh = steps.filter((step) => !isKnown(step, findings))
    counts.skipped += steps.length - fresh.length
    counts.mutations += fresh.filter(isMutation).length
    for (const found of await take(stage, fresh, judging)) {
      findings.push({ ...found, second: elapsed() })
      say(`step ${found.step}, ${elapsed().toFixed(1)} s: ${found.problem.kind}: ${found.problem.words.slice(0, 150)}`)
    }
    if (round % RESTORE_EVERY === 0) await world.restore()
    if (elapsed() - sampledAt > SAMPLE_SECONDS) {
      sampledAt = elapsed()
      memory.push({ megabytes: stage.portal.memory(), start: stage.portal.starts() })
    }
    if (only !== undefined) break
  }
  return { findings, memory, ...counts, took: elapsed() }
}

/** All cheap ones up to the next dear one, or that one. */
function nextSteps(from: number, stepAt: (number: number) => Step): Step[] {
  const steps = [stepAt(from)]
  for (let number = from + 1; steps[0] && isCheap(steps[0]); number++) {
    const step = stepAt(number)
    if (!isCheap(step)) break
    steps.push(step)
  }
  return steps
}

async function take(stage: Stage, steps: readonly Step[], judging: JudgeOptions) {
  const [step, ...others] = steps
  if (!step) return []
  if (others.length > 0) return takeTogether(stage, steps, judging)
  const { inTurn = false, watchMs = 0, steadyMs = 0 } = step.worst
  const found = await (inTurn || watchMs > 0 || steadyMs > 0 ? takeScene : takeAlone)(stage, step, judging)
  return found ? [found] : []
}

const isMutation = ({ worst }: Step) =>
  worst.callsOf(1).some((call) => /^mutation|^\{"query":"mutation/.test(isPlain(call) ? call.body : String(call.query)))
