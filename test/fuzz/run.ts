import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listOf, newSender } from '../support/world/leak-sender.ts'
import { beginBystander, type Stage } from './attempt.ts'
import { quantile, startBystander } from './bystander.ts'
import { type LoopOptions, sendAll } from './loop.ts'
import { startPortal } from './portal.ts'
import { startReceivers } from './receivers.ts'
import type { RunReport } from './report.ts'
import { type DatabaseName, openStore, type Store } from './store.ts'
import { watchIdle } from './watch-bystander.ts'
import { memoryGrowth, rowGrowth, slowWrites } from './whole-run.ts'
import { fillWorld, type World } from './world.ts'

/** The longest of all waits, with or without a write: P12 bounds the p99 of those that read at 100 ms. */
const HELD_MS = 150
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
    const sender = newSender('fuzz')
    const leakKeys = join(store.env['DATA_DIR'] ?? '', 'leak-keys.json')
    writeFileSync(leakKeys, listOf(sender))
    const receivers = await startReceivers()
    const world = await fillWorld(store, { now: Date.now(), sender, receivers })
    const portal = await startPortal({ ...store.env, LEAK_KEYS: leakKeys, WEBHOOK_NETWORKS: '127.0.0.1' })
    const bystander = startBystander(world.bystander)
    const stage: Stage = {
      ...{ portal, bystander, latencies: [], corrected: [], writes: [], refused: [], codes: new Map() },
      bytesOfPoint: new Map(),
      idleWrites: [],
      exhaust: world.exhaust,
      storedBytes: store.bytes,
      async settle() {
        await receivers.release()
        await world.dropDeliveries()
      },
    }
    try {
      await beginBystander(stage)
      return await work(stage, world, store)
    } finally {
      bystander.close()
      receivers.close()
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
    const { baselineMs, baselineWritesMs, idleShare } = await baselineOf(stage)
    const heldMs = Math.max(HELD_MS, HELD_TIMES_BASELINE * baselineMs)
    const heldWritesMs = Math.max(HELD_MS, HELD_TIMES_BASELINE * baselineWritesMs)
    const judging = { answerMs: ANSWER_MS, heldMs, heldWritesMs, idleShare, secrets: world.secrets }
    const done = await sendAll(stage, world, judging, options)
    const changes = done.mutations + stage.writes.length + stage.idleWrites.length // the bystander's too
    return {
      ...options,
      ...done,
      baselineMs,
      heldMs,
      baselineWritesMs,
      heldWritesMs,
      bystanderP99: quantile(stage.latencies, 0.99),
      bystanderP99Corrected: quantile(stage.corrected, 0.99),
      bystanderWritesP99: quantile(stage.writes, 0.99),
      idleWritesP99: quantile(stage.idleWrites, 0.99),
      bystanderWritesMax: quantile(stage.writes, 1),
      bystanderMax: stage.latencies.reduce((a, b) => Math.max(a, b), 0),
      bystanderRefused: stage.refused,
      bytesOfPoint: Object.fromEntries(stage.bytesOfPoint),
      codes: Object.fromEntries(stage.codes),
      restarts: stage.portal.starts() - 1,
      ofAll: [
        ...memoryGrowth(done.memory),
        ...rowGrowth(before, await store.sizes(), changes),
        ...slowWrites(
          stage.writes,
          stage.idleWrites,
          quantile(stage.latencies, 0.99) - quantile(stage.corrected, 0.99),
        ),
      ],
    }
  })

/** What the bystander waits for while nobody else does anything, and what the portal computes for it. */
async function baselineOf(stage: Stage) {
  const { bystander, latencies, corrected, idleWrites } = stage
  await bystander.poll()
  const { share } = await watchIdle({ ...stage, idleMs: BASELINE_MS })
  const baseline = {
    baselineMs: quantile(corrected, 0.99),
    baselineWritesMs: quantile(idleWrites, 0.99),
    idleShare: share,
  }
  for (const each of [latencies, corrected]) each.length = 0
  return baseline
}
