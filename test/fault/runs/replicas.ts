import { setTimeout as pause } from 'node:timers/promises'
import { startCluster } from '../cluster.ts'
import { databaseRestart, replicaFaults, startFaults } from '../faults.ts'
import { violationsIn } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { createRandom } from '../random.ts'
import { describeViolation, firstOf, LONG_ENOUGH_MS, type Run } from '../report.ts'

const WANTS = {
  full: { replicas: 3, calls: 200_000, revokes: 2000, faults: 250, longestStopMs: 5000, withinMs: 3_600_000 },
  quick: { replicas: 3, calls: 10_000, revokes: 60, faults: 10, longestStopMs: 5000, withinMs: LONG_ENOUGH_MS },
  tiny: { replicas: 2, calls: 2000, revokes: 20, faults: 4, longestStopMs: 1500, withinMs: LONG_ENOUGH_MS },
}
const POLL_EVERY_MS = 250
const LOOKS_BETWEEN_CHECKS = 60

/** Some replicas, sixteen clients, and everything that can happen to processes and connections. */
export const replicas: Run = async ({ effort, seed, say }) => {
  const wants = WANTS[effort]
  const random = createRandom(seed)
  const cluster = await startCluster({ random, replicas: wants.replicas })
  try {
    const load = startLoad({ ...cluster, random })
    const faults = startFaults([...replicaFaults(cluster, wants.longestStopMs), databaseRestart(cluster)], seed)
    const { counts, history, answers } = load
    const isEnough = () =>
      counts.calls >= wants.calls &&
      counts.revokes >= wants.revokes &&
      counts.heldBack >= wants.revokes &&
      faults.total() >= wants.faults
    let violations = violationsIn(history)
    const start = performance.now()
    for (let looks = 1; !isEnough() && performance.now() - start < wants.withinMs; looks++) {
      await pause(POLL_EVERY_MS)
      if (looks % LOOKS_BETWEEN_CHECKS === 0) violations = violationsIn(history)
      say(`calls ${counts.calls}  revokes ${counts.revokes}  faults ${faults.total()}  violations ${violations.length}`)
    }
    await faults.stop()
    await load.stop()
    violations = violationsIn(history)
    return {
      figures: [
        { what: 'calls', value: counts.calls, wants: { atLeast: wants.calls } },
        { what: 'revokes', value: counts.revokes, wants: { atLeast: wants.revokes } },
        { what: 'calls held back over their revoke', value: counts.heldBack, wants: { atLeast: wants.revokes } },
        { what: 'faults', value: faults.total(), wants: { atLeast: wants.faults } },
        { what: 'violations', value: violations.length, wants: { atMost: 0 } },
        { what: 'calls a second', value: counts.calls / ((performance.now() - start) / 1000) },
      ],
      faults: Object.fromEntries(faults.counts),
      answers: Object.fromEntries(answers.counts),
      wrong: firstOf([...violations.map(describeViolation), ...answers.wrong, ...cluster.troubles()]),
    }
  } finally {
    await cluster.close()
  }
}
