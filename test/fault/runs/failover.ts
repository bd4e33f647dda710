import { setTimeout as pause } from 'node:timers/promises'
import { seed as makeOrganizations, PORTAL_SECRET } from '../cluster.ts'
import { startFailoverPair } from '../failover-pair.ts'
import { acceptedLate, violationsIn } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { createLedgerFolder, type Ledgers } from '../ledgers.ts'
import { NOTHING_REMEMBERED } from '../planted-faults.ts'
import { between, createRandom } from '../random.ts'
import { createReplica, PORTAL } from '../replica.ts'
import { describeViolation, firstOf, type Run } from '../report.ts'
import { until } from '../until.ts'
import { PLANTED_PORTAL } from './planted.ts'

const FULL = { failovers: 10, asynchronous: 5, controls: 2, calls: 10_000, revokes: 100 }
const QUICK = { failovers: 1, asynchronous: 1, controls: 1, calls: 500, revokes: 5 }
const REPLICAS = 3
const LULL_MS: [number, number] = [1000, 3000]
const BEHIND_MS: [number, number] = [1000, 2000]
const REVOKES_BEHIND = 10
const CALLS_AFTERWARDS = 500
const PATIENCE_MS = 180_000

/**
 * A synchronous standby takes over while it is behind: what was answered, it has. An asynchronous one has lost it, and
 * the ledger has not; without a ledger, it shows what is seen.
 */
export const failover: Run = async ({ effort, seed, say }) => {
  const wants = effort === 'full' ? FULL : QUICK
  const kept = await failOver({ seed, times: wants.failovers, synchronous: true, say })
  const known = await failOver({ seed, times: wants.asynchronous, ledgers: 'shared', say })
  const lost = await failOver({ seed, times: wants.controls, program: [PLANTED_PORTAL, NOTHING_REMEMBERED], say })
  const [late, lateWithout] = [acceptedLate(known.history), acceptedLate(lost.history)]
  return {
    figures: [
      { what: 'failovers', value: wants.failovers },
      { what: 'calls', value: kept.counts.calls, wants: { atLeast: wants.calls } },
      { what: 'revokes', value: kept.counts.revokes, wants: { atLeast: wants.revokes } },
      { what: 'violations', value: kept.violations.length, wants: { atMost: 0 } },
      { what: 'longest until the first call after a promotion, ms', value: kept.longestOutageMs },
      { what: 'times that everybody was signed out', value: kept.restores, wants: { atMost: 0 } },
      { what: 'asynchronous, one ledger: revokes', value: known.counts.revokes, wants: { atLeast: wants.revokes } },
      { what: 'asynchronous, one ledger: accepted after its revoke', value: late.length, wants: { atMost: 0 } },
      { what: 'asynchronous, one ledger: longest until the first call, ms', value: known.longestOutageMs },
      { what: 'asynchronous, no ledger: accepted after its revoke', value: lateWithout.length, wants: { atLeast: 1 } },
    ],
    faults: { 'failover, synchronous': wants.failovers, 'failover, asynchronous': wants.asynchronous },
    answers: Object.fromEntries(kept.answers.counts),
    wrong: firstOf([
      ...[...kept.violations, ...late].map(describeViolation),
      ...[kept, known].flatMap(({ answers, troubles }) => [...answers.wrong, ...troubles]),
    ]),
  }
}

interface Options {
  seed: number
  times: number
  synchronous?: boolean
  ledgers?: Ledgers
  program?: string[]
  say(words: string): void
}

async function failOver({ seed, times, synchronous = false, ledgers = 'own', program = PORTAL, say }: Options) {
  const random = createRandom(seed)
  const folder = createLedgerFolder(ledgers)
  const pair = await startFailoverPair(random, { synchronous })
  const env = { DATABASE_URL: pair.url, PORTAL_SECRET }
  const replicas = Array.from({ length: REPLICAS }, (_, i) =>
    createReplica(`replica ${i + 1}`, program, { ...env, LEDGER: folder.path(i) }),
  )
  try {
    const organizations = await makeOrganizations(env, 8)
    await Promise.all(replicas.map((replica) => replica.start()))
    const load = startLoad({ replicas, organizations, random })
    const { history, counts, answers, stop } = load
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
    await load.callAgain(replicas) // with keys that are back as well, and that nobody uses any more
    await stop()
    const troubles = replicas.flatMap((replica) => replica.troubles())
    const restores = await pair.restores()
    return { history, violations: violationsIn(history), counts, answers, troubles, longestOutageMs, restores }
  } finally {
    await Promise.all(replicas.map((replica) => replica.kill()))
    await pair.close()
    folder.remove()
  }
}
