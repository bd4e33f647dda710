import { setTimeout as pause } from 'node:timers/promises'
import { attempt, beginBystander, coreWait, type Stage } from './attempt.ts'
import { quantile, startBystander } from './bystander.ts'
import { type GraphqlCall, readSchema } from './call.ts'
import { type MemorySample, memoryGrowth, rowGrowth } from './growth.ts'
import { isTimed, type JudgeOptions, judge, type Observed, type Problem } from './judge.ts'
import { startPortal } from './portal.ts'
import type { Finding, RunReport } from './report.ts'
import { namesIn, shrink } from './shrink.ts'
import { type Step, stepOf } from './steps.ts'
import { type DatabaseName, openStore } from './store.ts'
import { fillWorld, type World } from './world.ts'

/** The target of DESIGN.md, with room for a machine on which even an idle portal answers late. */
const HELD_MS = 100
const HELD_TIMES_BASELINE = 5
const ANSWER_MS = 1000
const BASELINE_MS = 2000
const SHRINK_TRIES = 40
const SHRINK_MS = 12_000
const RESTORE_EVERY = 60
const MOST_FINDINGS = 40

export interface RunOptions {
  database: DatabaseName
  seed: number
  seconds: number
  /** This step alone. */
  only?: number | undefined
  say(words: string): void
}

/** Sends documents for some seconds, beside a bystander, and tells what was wrong. */
export async function runFuzz(options: RunOptions): Promise<RunReport> {
  const { database, say } = options
  say(`${database}: filling a database`)
  const store = await openStore(database)
  try {
    const world = await fillWorld(store, Date.now())
    const before = await store.sizes()
    const portal = await startPortal(store.env)
    const bystander = startBystander(world.bystanderSecrets)
    const stage: Stage = { portal, bystander, latencies: [], corrected: [], refused: [], codes: new Map() }
    try {
      await beginBystander(stage)
      const baselineMs = await baselineOf(stage)
      const judging = {
        answerMs: ANSWER_MS,
        heldMs: Math.max(HELD_MS, HELD_TIMES_BASELINE * baselineMs),
        secrets: world.secrets,
      }
      const done = await sendAll(stage, world, judging, options)
      const growth = [...memoryGrowth(done.memory), ...rowGrowth(before, await store.sizes(), done.mutations)]
      return {
        ...options,
        ...done,
        baselineMs,
        heldMs: judging.heldMs,
        bystanderP99: quantile(stage.latencies, 0.99),
        bystanderP99Corrected: quantile(stage.corrected, 0.99),
        bystanderMax: stage.latencies.reduce((a, b) => Math.max(a, b), 0),
        bystanderRefused: stage.refused,
        codes: Object.fromEntries(stage.codes),
        restarts: portal.starts() - 1,
        growth,
      }
    } finally {
      bystander.close()
      await portal.close()
    }
  } finally {
    await store.close()
  }
}

/** What the bystander waits for while nobody else does anything. */
async function baselineOf({ bystander, portal }: Stage): Promise<number> {
  await bystander.look()
  const before = coreWait({ bystander, portal })
  await pause(BASELINE_MS)
  const { latenciesMs } = await bystander.look()
  return Math.max(0, quantile(latenciesMs, 0.99) - (coreWait({ bystander, portal }) - before))
}

async function sendAll(stage: Stage, world: World, judging: JudgeOptions, options: RunOptions) {
  const { seed, seconds, only, say } = options
  const steps = { schema: readSchema(), seed, known: world.known, callers: world.callers }
  const findings: Finding[] = []
  const memory: MemorySample[] = []
  const start = performance.now()
  const elapsed = () => (performance.now() - start) / 1000
  let mutations = 0
  let skipped = 0
  let number = only ?? 0
  for (let sampledAt = 0; elapsed() < seconds && findings.length < MOST_FINDINGS; number++) {
    if (only !== undefined && number > only) break
    const step = stepOf(number, steps)
    if (isKnown(step, findings)) {
      skipped++
      continue
    }
    const { found, observed } = await take(stage, step, judging)
    if (observed.calls.some(({ query }) => String(query).startsWith('mutation')) && ++mutations % RESTORE_EVERY === 0) {
      await world.restore()
    }
    if (step.caller.isGood && observed.answers[0]?.status === 401) await world.restore()
    if (found) {
      findings.push({ ...found, second: elapsed() })
      say(`step ${number}, ${elapsed().toFixed(1)} s: ${found.problem.kind}: ${found.problem.words.slice(0, 150)}`)
    }
    if (elapsed() - sampledAt > 0.5) {
      sampledAt = elapsed()
      memory.push({ megabytes: stage.portal.memory(), start: stage.portal.starts() })
    }
  }
  return { findings, memory, mutations, skipped, steps: number, took: elapsed() }
}

/** The same shape, or all the names of a document that has failed already. */
function isKnown({ worst, caller }: Step, findings: readonly Finding[]): boolean {
  if (findings.length === 0) return false
  const size = worst.sizes[0] ?? 1
  const [call] = worst.callsOf(size)
  if (!call) return false
  const names = typeof call.query === 'string' ? namesIn(call) : new Set<string>()
  return findings.some((finding) => {
    if (finding.shape !== worst.shape && finding.isTimed) return false
    const known = namesIn(finding.calls[0] ?? { query: '' })
    return (
      known.size > 0 &&
      [...known].every((name) => names.has(name)) &&
      (finding.isTimed || finding.caller === caller.name)
    )
  })
}

type Found = Omit<Finding, 'second'>

/** Takes a step: in the largest size that is not refused, again where time was the trouble, and smaller where it can be. */
async function take(stage: Stage, step: Step, judging: JudgeOptions): Promise<{ found?: Found; observed: Observed }> {
  const { caller, worst } = step
  let observed: Observed | undefined
  for (const size of worst.sizes) {
    observed = await attempt(stage, caller, worst.callsOf(size))
    if (!observed.answers.every(({ body }) => body.includes('QUERY_TOO_COMPLEX'))) break
    if (judge(observed, caller, judging).length > 0) break
  }
  if (!observed) throw new Error(`Step ${step.number} sends nothing.`)
  const [problem] = judge(observed, caller, judging)
  if (!problem) return { observed }
  const tryAgain = async (calls: readonly GraphqlCall[]) =>
    judge(await attempt(stage, caller, calls), caller, judging).find(({ kind }) => kind === problem.kind)
  if (isTimed(problem) && !(await tryAgain(observed.calls))) return { observed }
  const smallest = await smaller(observed.calls, tryAgain)
  const answer = observed.answers[0]
  return {
    observed,
    found: {
      step: step.number,
      shape: worst.shape,
      caller: caller.name,
      path: caller.path,
      problem,
      isTimed: isTimed(problem),
      calls: smallest,
      status: answer?.status,
    },
  }
}

async function smaller(
  calls: readonly GraphqlCall[],
  tryAgain: (calls: readonly GraphqlCall[]) => Promise<Problem | undefined>,
): Promise<readonly GraphqlCall[]> {
  const [call, ...others] = calls
  if (!call || others.length > 0 || typeof call.query !== 'string') return calls
  const end = performance.now() + SHRINK_MS
  const stillFails = async (candidate: GraphqlCall) =>
    performance.now() < end && (await tryAgain([candidate])) !== undefined
  return [await shrink(call, stillFails, SHRINK_TRIES)]
}
