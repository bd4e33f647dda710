import { setTimeout as pause } from 'node:timers/promises'
import { startCluster } from '../cluster.ts'
import { databaseRestart, replicaFaults, startFaults } from '../faults.ts'
import { violationsIn } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { createRandom } from '../random.ts'
import { describeViolation, firstOf, type Run } from '../report.ts'

const FULL = { calls: 200_000, revokes: 2000, faults: 250, withinMs: 1_200_000 }
const QUICK = { calls: 10_000, revokes: 60, faults: 10, withinMs: 120_000 }
const CHECK_EVERY_S = 15

/** Three replicas, sixteen clients, and everything that can happen to processes and connections. */
export const replicas: Run = async ({ quick, seed, say }) => {
  const wants = quick ? QUICK : FULL
  const random = createRandom(seed)
  const cluster = await startCluster({ random })
  try {
    const load = startLoad({ ...cluster, random })
    const faults = startFaults([...replicaFaults(cluster), databaseRestart(cluster)], seed)
    const { counts, history, answers } = load
    const isEnough = () =>
      counts.calls >= wants.calls && counts.revokes >= wants.revokes && faults.total() >= wants.faults
    let violations = violationsIn(history)
    const start = performance.now()
    for (let second = 1; !isEnough() && performance.now() - start < wants.withinMs; second++) {
      await pause(1000)
      if (second % CHECK_EVERY_S === 0) violations = violationsIn(history)
      say(`calls ${counts.calls}  revokes ${counts.revokes}  faults ${faults.total()}  violations ${violations.length}`)
    }
    await faults.stop()
    await load.stop()
    violations = violationsIn(history)
    return {
      figures: [
        { what: 'calls', value: counts.calls, wants: { atLeast: wants.calls } },
        { what: 'revokes', value: counts.revokes, wants: { atLeast: wants.revokes } },
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
