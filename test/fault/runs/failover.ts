import { setTimeout as pause } from 'node:timers/promises'
import { seed as makeOrganizations, PORTAL_SECRET } from '../cluster.ts'
import { startFailoverPair } from '../failover-pair.ts'
import { violationsIn } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { between, createRandom } from '../random.ts'
import { createReplica, PORTAL } from '../replica.ts'
import { describeViolation, firstOf, type Run } from '../report.ts'
import { until } from '../until.ts'

const FULL = { failovers: 10, asynchronous: 2, calls: 10_000, revokes: 100 }
const QUICK = { failovers: 1, asynchronous: 1, calls: 500, revokes: 5 }
const REPLICAS = 3
const LULL_MS: [number, number] = [1000, 3000]
const BEHIND_MS: [number, number] = [1000, 2000]
const CALLS_AFTER: [number, number] = [40, 80] // a key that is back has to be called once more
const REVOKES_BEHIND = 10
const CALLS_AFTERWARDS = 500
const PATIENCE_MS = 180_000

/** A synchronous standby takes over while it is behind: what was answered, it has. An asynchronous one shows what is seen. */
export const failover: Run = async ({ effort, seed, say }) => {
  const wants = effort === 'full' ? FULL : QUICK
  const kept = await failOver(seed, wants.failovers, true, say)
  const lost = await failOver(seed, wants.asynchronous, false, say)
  return {
    figures: [
      { what: 'failovers', value: wants.failovers },
      { what: 'calls', value: kept.counts.calls, wants: { atLeast: wants.calls } },
      { what: 'revokes', value: kept.counts.revokes, wants: { atLeast: wants.revokes } },
      { what: 'violations', value: kept.violations.length, wants: { atMost: 0 } },
      { what: 'longest until the first call after a promotion, ms', value: kept.longestOutageMs },
      { what: 'with an asynchronous standby: violations', value: lost.violations.length, wants: { atLeast: 1 } },
    ],
    faults: { 'failover, synchronous': wants.failovers, 'failover, asynchronous': wants.asynchronous },
    answers: Object.fromEntries(kept.answers.counts),
    wrong: firstOf([...kept.violations.map(describeViolation), ...kept.answers.wrong, ...kept.troubles]),
  }
}

async function failOver(seed: number, times: number, synchronous: boolean, say: (words: string) => void) {
  const random = createRandom(seed)
  const pair = await startFailoverPair(random, { synchronous })
  const env = { DATABASE_URL: pair.url, PORTAL_SECRET }
  const replicas = Array.from({ length: REPLICAS }, (_, i) => createReplica(`replica ${i + 1}`, PORTAL, env))
  try {
    const organizations = await makeOrganizations(env, 8)
    await Promise.all(replicas.map((replica) => replica.start()))
    const { history, counts, answers, stop } = startLoad({ replicas, organizations, random, after: CALLS_AFTER })
    const more = (what: 'calls' | 'revokes', count: number) => {
      const enough = counts[what] + count
      return until(() => counts[what] >= enough, PATIENCE_MS)
    }
    let longestOutageMs = 0
    for (let done = 1; done <= times; done++) {
      await pair.addStandby()
      await pause(between(random, ...LULL_MS))
      await pair.failOver(() => (synchronous ? pause(between(random, ...BEHIND_MS)) : more('revokes', REVOKES_BEHIND)))
      longestOutageMs = Math.max(longestOutageMs, await more('calls', 1))
      await more('calls', CALLS_AFTERWARDS)
      const kind = synchronous ? 'synchronous' : 'asynchronous'
      say(`${kind} failovers ${done}  calls ${counts.calls}  revokes ${counts.revokes}`)
    }
    await stop()
    const troubles = replicas.flatMap((replica) => replica.troubles())
    return { violations: violationsIn(history), counts, answers, troubles, longestOutageMs }
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await pair.close()
  }
}
