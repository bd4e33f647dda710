import { setTimeout as pause } from 'node:timers/promises'
import { beginBystander, type Stage } from './attempt.ts'
import { quantile, startBystander } from './bystander.ts'
import { memoryGrowth, rowGrowth } from './growth.ts'
import { type LoopOptions, sendAll } from './loop.ts'
import { startPortal } from './portal.ts'
import type { RunReport } from './report.ts'
import { type DatabaseName, openStore, type Store } from './store.ts'
import { fillWorld, type World } from './world.ts'

/** The target of P12, with room for a machine on which even an idle portal answers late. */
const HELD_MS = 100
const HELD_TIMES_BASELINE = 5
const ANSWER_MS = 1000
const BASELINE_MS = 2000

export interface RunOptions extends LoopOptions {
  database: DatabaseName
}

/** Does some work with a portal on a database of its own, filled, with a bystander who has begun to call. */
export async function withStage<Result>(
  database: DatabaseName,
  say: (words: string) => void,
  work: (stage: Stage, world: World, store: Store) => Promise<Result>,
): Promise<Result> {
  say(`${database}: filling a database`)
  const store = await openStore(database)
  try {
    const world = await fillWorld(store, Date.now())
    const portal = await startPortal(store.env)
    const bystander = startBystander(world.bystanderSecrets)
    const stage: Stage = { portal, bystander, latencies: [], corrected: [], refused: [], codes: new Map() }
    try {
      await beginBystander(stage)
      return await work(stage, world, store)
    } finally {
      bystander.close()
      await portal.close()
    }
  } finally {
    await store.close()
  }
}

/** Sends documents for some seconds, beside a bystander, and tells what was wrong. */
export const runFuzz = (options: RunOptions): Promise<RunReport> =>
  withStage(options.database, options.say, async (stage, world, store) => {
    const before = await store.sizes()
    const baselineMs = await baselineOf(stage)
    const heldMs = Math.max(HELD_MS, HELD_TIMES_BASELINE * baselineMs)
    const done = await sendAll(stage, world, { answerMs: ANSWER_MS, heldMs, secrets: world.secrets }, options)
    return {
      ...options,
      ...done,
      baselineMs,
      heldMs,
      bystanderP99: quantile(stage.latencies, 0.99),
      bystanderP99Corrected: quantile(stage.corrected, 0.99),
      bystanderMax: stage.latencies.reduce((a, b) => Math.max(a, b), 0),
      bystanderRefused: stage.refused,
      codes: Object.fromEntries(stage.codes),
      restarts: stage.portal.starts() - 1,
      growth: [...memoryGrowth(done.memory), ...rowGrowth(before, await store.sizes(), done.mutations)],
    }
  })

/** What the bystander waits for while nobody else does anything. */
async function baselineOf({ bystander }: Stage): Promise<number> {
  await bystander.look()
  await pause(BASELINE_MS)
  const { latenciesMs } = await bystander.look()
  return quantile(latenciesMs, 0.99)
}
