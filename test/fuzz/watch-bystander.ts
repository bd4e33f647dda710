import { setTimeout as pause } from 'node:timers/promises'
import type { Stage } from './attempt.ts'
import { longestOf, type Span, type Waited } from './bystander.ts'
import type { JudgeOptions } from './judge.ts'

/** Twice that, and a caller who has used their points has them again. */
const IDLE_MS = 1000
const IDLE_TIMES = 2
const POLL_EVERY_MS = 50

/** How long processes had had no core at some moment, since they began. */
interface Moment {
  at: number
  noCoreMs: number
}

/**
 * Looks at the bystander again and again while something is done: how long it waited at most, for reads and for writes,
 * without what the machine took from it and from the portal while it waited.
 */
export async function watchBystander<Result>(stage: Stage, work: () => Promise<Result>) {
  const { portal, bystander, latencies, corrected, writes } = stage
  const moment = (): Moment => ({ at: performance.now(), noCoreMs: portal.coreWaitMs() + bystander.coreWaitMs() })
  const first = moment()
  const moments = [first]
  const portalNoCoreMs = portal.coreWaitMs()
  const refused: string[] = []
  const writeSpans: Span[] = []
  let [heldMs, heldWritesMs, isDone] = [0, 0, false]

  async function poll(): Promise<void> {
    const seen = await bystander.poll()
    const now = moment()
    const without = (latency: number) => Math.max(0, latency - takenFrom(moments, now, latency))
    const held = (waited: Waited) => without(longestOf(waited))
    heldMs = Math.max(heldMs, held(seen))
    heldWritesMs = Math.max(heldWritesMs, held(seen.writes))
    latencies.push(...seen.latenciesMs)
    corrected.push(...seen.latenciesMs.map(without))
    writes.push(...seen.writes.latenciesMs.map(without))
    writeSpans.push(...seen.writes.spans)
    refused.push(...seen.refused)
    moments.push(now)
  }

  const working = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    await Promise.race([working, pause(POLL_EVERY_MS)])
    await poll()
  }
  stage.refused.push(...refused)
  const last = moment()
  return {
    ...{ result: await working, heldMs, heldWritesMs, writeSpans, refused },
    noCoreMs: last.noCoreMs - first.noCoreMs,
    tookMs: last.at - first.at,
    portalNoCoreMs: portal.coreWaitMs() - portalNoCoreMs,
  }
}

/** Looks at the bystander while nobody else does anything. */
export async function watchIdle(stage: Stage) {
  const { portal, writes, idleWrites } = stage
  const [computedMs, before] = [portal.computedMs(), writes.length]
  const seen = await watchBystander(stage, () => pause(stage.idleMs ?? IDLE_MS))
  idleWrites.push(...writes.splice(before))
  return { ...seen, share: (portal.computedMs() - computedMs) / (seen.tookMs - seen.portalNoCoreMs) }
}

/** Limits for a machine on which others wait longer at this very moment, while the portal has nothing to do. */
export async function limitsNow(stage: Stage, judging: JudgeOptions): Promise<JudgeOptions> {
  const [one, other] = [await watchIdle(stage), await watchIdle(stage)] // in one of them, the portal may still have had to do
  return {
    ...judging,
    idleShare: Math.max(judging.idleShare, Math.min(one.share, other.share)),
    heldMs: Math.max(judging.heldMs, IDLE_TIMES * Math.min(one.heldMs, other.heldMs)),
    heldWritesMs: Math.max(judging.heldWritesMs, IDLE_TIMES * Math.min(one.heldWritesMs, other.heldWritesMs)),
  }
}

/** What the machine took while somebody waited for so long who was answered since the last look. */
function takenFrom(moments: readonly Moment[], now: Moment, latencyMs: number): number {
  const since = (moments.at(-1)?.at ?? now.at) - latencyMs
  const before = moments.findLast(({ at }) => at <= since) ?? moments[0]
  return now.noCoreMs - (before?.noCoreMs ?? 0)
}
