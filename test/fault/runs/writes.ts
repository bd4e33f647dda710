import { setTimeout as pause } from 'node:timers/promises'
import { startCluster } from '../cluster.ts'
import { replicaFaults, startFaults } from '../faults.ts'
import { violationsIn } from '../history.ts'
import { keptWrites, lateWrites, writersCutOff } from '../late-writes.ts'
import { createRandom } from '../random.ts'
import { describeViolation, firstOf, type Run } from '../report.ts'
import { startWriting } from '../writing-lives.ts'

const FULL = { revokes: 2000, faults: 50, withinMs: 900_000 }
const QUICK = { revokes: 30, faults: 2, withinMs: 120_000 }

/** Keys write on all replicas while they are revoked, and replicas are stopped in the middle of it. */
export const writes: Run = async ({ quick, seed, say }) => {
  const wants = quick ? QUICK : FULL
  const random = createRandom(seed)
  const cluster = await startCluster({ random })
  try {
    const load = startWriting({ ...cluster, random })
    const stops = replicaFaults(cluster).filter(({ name }) => name === 'SIGSTOP')
    const faults = startFaults(stops, seed, [1000, 6000])
    const { counts, history, answers } = load
    const start = performance.now()
    while (counts.revokes < wants.revokes || faults.total() < wants.faults) {
      await pause(1000)
      say(`writes ${counts.writes}  revokes ${counts.revokes}  stops ${faults.total()}`)
      if (performance.now() - start > wants.withinMs) break
    }
    await faults.stop()
    await load.stop()
    const late = await lateWrites(cluster.sql)
    const kept = await keptWrites(cluster.sql)
    const violations = violationsIn(history)
    const underWay = answers.counts.get('200 API_KEY_INVALID') ?? 0
    return {
      figures: [
        { what: 'revokes of a key that was writing', value: counts.revokes, wants: { atLeast: wants.revokes } },
        { what: 'writes committed', value: kept.writes, wants: { atLeast: counts.writes } },
        { what: 'writes refused in their transaction', value: underWay, wants: { atLeast: 1 } },
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
