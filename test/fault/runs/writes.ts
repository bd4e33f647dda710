import { setTimeout as pause } from 'node:timers/promises'
import { startCluster } from '../cluster.ts'
import { replicaFaults, startFaults } from '../faults.ts'
import { violationsIn } from '../history.ts'
import { keptWrites, lateWrites, writersCutOff } from '../late-writes.ts'
import { createRandom } from '../random.ts'
import { describeViolation, type Effort, firstOf, LONG_ENOUGH_MS, type Run } from '../report.ts'
import { startWriting } from '../writing-lives.ts'

interface Wants {
  replicas: number
  revokes: number
  faults: number
  /** Between two faults, in milliseconds. */
  lull: [number, number]
  longestStopMs: number
  withinMs: number
}

const WANTS: Record<Effort, Wants> = {
  full: { replicas: 3, revokes: 2000, faults: 50, lull: [1000, 6000], longestStopMs: 5000, withinMs: 3_600_000 },
  quick: { replicas: 3, revokes: 30, faults: 2, lull: [1000, 6000], longestStopMs: 5000, withinMs: LONG_ENOUGH_MS },
  tiny: { replicas: 2, revokes: 15, faults: 1, lull: [200, 1000], longestStopMs: 1500, withinMs: LONG_ENOUGH_MS },
}
const POLL_EVERY_MS = 250

/** Keys write on all replicas while they are revoked, and replicas are stopped in the middle of it. */
export const writes: Run = async ({ effort, seed, say }) => {
  const wants = WANTS[effort]
  const random = createRandom(seed)
  const cluster = await startCluster({ random, replicas: wants.replicas })
  try {
    const load = startWriting({ ...cluster, random })
    const stops = replicaFaults(cluster, wants.longestStopMs).filter(({ name }) => name === 'SIGSTOP')
    const faults = startFaults(stops, seed, wants.lull)
    const { counts, history, answers } = load
    const start = performance.now()
    const refusedInside = () => answers.counts.get('200 API_KEY_INVALID') ?? 0
    while (counts.revokes < wants.revokes || faults.total() < wants.faults || refusedInside() === 0) {
      await pause(POLL_EVERY_MS)
      say(`writes ${counts.writes}  revokes ${counts.revokes}  stops ${faults.total()}`)
      if (performance.now() - start > wants.withinMs) break
    }
    await faults.stop()
    await load.stop()
    const late = await lateWrites(cluster.sql)
    const kept = await keptWrites(cluster.sql)
    const violations = violationsIn(history)
    return {
      figures: [
        { what: 'revokes of a key that was writing', value: counts.revokes, wants: { atLeast: wants.revokes } },
        { what: 'writes committed', value: kept.writes, wants: { atLeast: counts.writes } },
        { what: 'writes refused in their transaction', value: refusedInside(), wants: { atLeast: 1 } },
        { what: 'writes committed after the revoke', value: late.length, wants: { atMost: 0 } },
        { what: 'violations seen by clients', value: violations.length, wants: { atMost: 0 } },
        { what: 'writers cut off in their transaction', value: await writersCutOff(cluster.sql) },
        { what: 'longest revoke, ms', value: counts.slowestRevokeMs },
      ],
      faults: Object.fromEntries(faults.counts),
      answers: Object.fromEntries(answers.counts),
      wrong: firstOf([...late, ...violations.map(describeViolation), ...answers.wrong, ...cluster.troubles()]),
    }
  } finally {
    await cluster.close()
  }
}
