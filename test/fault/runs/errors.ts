import { setTimeout as pause } from 'node:timers/promises'
import { startCluster } from '../cluster.ts'
import { violationsIn } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { createRandom } from '../random.ts'
import { describeViolation, firstOf, LONG_ENOUGH_MS, type Run } from '../report.ts'

const WEATHER = { failRate: 0.2, delayMs: 500 }
const FULL = { calls: 10_000, revokes: 50, errors: 1000, withinMs: 3_600_000 }
const QUICK = { calls: 100, revokes: 1, errors: 20, withinMs: LONG_ENOUGH_MS }

/** One statement in five fails, every piece on its way to the database and back is late by up to half a second. */
export const errors: Run = async ({ effort, seed, say }) => {
  const wants = effort === 'full' ? FULL : QUICK
  const random = createRandom(seed)
  const cluster = await startCluster({ random })
  try {
    for (const { proxy } of cluster.replicas) proxy.set(WEATHER)
    const load = startLoad({ ...cluster, random, before: [2, 12], after: [2, 12] })
    const { counts, history, answers } = load
    const seen = () => cluster.replicas.reduce((sum, { proxy }) => sum + proxy.statements().seen, 0)
    const failed = () => cluster.replicas.reduce((sum, { proxy }) => sum + proxy.statements().failed, 0)
    const isEnough = () => counts.calls >= wants.calls && counts.revokes >= wants.revokes && failed() >= wants.errors
    const start = performance.now()
    while (!isEnough() && performance.now() - start < wants.withinMs) {
      await pause(1000)
      say(`calls ${counts.calls}  revokes ${counts.revokes}  statements failed ${failed()}`)
    }
    const answered = Object.fromEntries(answers.counts) // before it is cut off: nobody here may lose an answer
    await load.stop()
    const violations = violationsIn(history)
    const lost = (answered['connection lost'] ?? 0) + (answered['no answer in time'] ?? 0)
    return {
      figures: [
        { what: 'calls', value: counts.calls, wants: { atLeast: wants.calls } },
        { what: 'revokes', value: counts.revokes, wants: { atLeast: wants.revokes } },
        { what: 'statements', value: seen() },
        { what: 'statements failed', value: failed(), wants: { atLeast: wants.errors } },
        { what: 'violations', value: violations.length, wants: { atMost: 0 } },
        { what: 'answers that are neither right nor 503', value: answers.wrong.length, wants: { atMost: 0 } },
        { what: 'requests without an answer', value: lost, wants: { atMost: 0 } },
      ],
      faults: { 'statements failed': failed() },
      answers: answered,
      wrong: firstOf([...violations.map(describeViolation), ...answers.wrong, ...cluster.troubles()]),
    }
  } finally {
    await cluster.close()
  }
}
