import { setTimeout as pause } from 'node:timers/promises'
import type { Sql } from 'postgres'
import { FLUSH_EVERY_MS } from '../../../server/api-keys/usage/counter.ts'
import { createAnswers } from '../answers.ts'
import { createClient } from '../client.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { CALLS_OF_ORGANIZATIONS, type CountedRow, countedIn, createCallLedger, wrongCount } from '../counted-calls.ts'
import { createRandom, oneOf, type Random } from '../random.ts'
import type { Replica } from '../replica.ts'
import { firstOf, type Run } from '../report.ts'

// What is counted reaches the database within 7.5 s, as is promised; on a machine that is starved, a little later.
const FULL = { calls: 100_000, restarts: 12, kills: 6, atRiskMs: 1.5 * FLUSH_EVERY_MS }
const QUICK = { calls: 5_000, restarts: 2, kills: 1, atRiskMs: 2 * FLUSH_EVERY_MS }
const CLIENTS = 16
const READ = '{ viewer { role } }'

/**
 * Calls over three replicas that are restarted and killed: every call is counted once. A restart in order loses none, a kill
 * no more than the flush window.
 */
export const counts: Run = async ({ effort, seed, say }) => {
  const wants = effort === 'full' ? FULL : QUICK
  const random = createRandom(seed)
  const cluster = await startCluster({ random })
  const phase = { cluster, random, atRiskMs: wants.atRiskMs, say }
  try {
    const restarted = await callWhile('restart', { ...phase, calls: wants.calls, times: wants.restarts })
    const killed = await callWhile('kill', { ...phase, calls: wants.calls / 4, times: wants.kills })
    return {
      figures: [
        { what: 'calls with restarts', value: restarted.answered, wants: { atLeast: wants.calls } },
        { what: 'of them not counted, or twice', value: restarted.off, wants: { atMost: restarted.uncertain } },
        { what: 'calls with kills', value: killed.answered, wants: { atLeast: wants.calls / 4 } },
        { what: 'of them answered within the flush window before a kill', value: killed.atRisk },
        { what: 'of them lost', value: killed.off, wants: { atMost: killed.atRisk + killed.uncertain } },
      ],
      faults: { restarts: wants.restarts, kills: wants.kills },
      answers: Object.fromEntries([...restarted.answers.counts]),
      wrong: firstOf([...restarted.wrong, ...killed.wrong, ...cluster.troubles()]),
    }
  } finally {
    await cluster.close()
  }
}

interface Phase {
  cluster: Cluster
  random: Random
  calls: number
  times: number
  atRiskMs: number
  say(words: string): void
}

/** Calls from many clients, while one replica after the other goes down and comes back; then all close, and are compared. */
async function callWhile(fault: 'restart' | 'kill', { cluster, random, calls, times, atRiskMs, say }: Phase) {
  const { replicas, organizations, sql } = cluster
  const secrets = organizations.map(({ secret }) => secret)
  const before = await countedBySecret(sql, cluster)
  const ledger = createCallLedger<Replica>(secrets, atRiskMs)
  const answers = createAnswers()
  let faults = 0
  let isOver = false

  const call = async () => {
    const client = createClient(replicas, random, answers)
    while (!isOver) {
      const replica = client.pick()
      const secret = oneOf(random, secrets)
      if (!replica) await new Promise(setImmediate)
      else if ((await client.send(replica, { secret, query: READ })).verdict === 'accepted')
        ledger.answered(secret, replica)
      else ledger.uncertain(secret)
    }
    client.close()
  }
  const calling = Array.from({ length: CLIENTS }, call)

  while (faults < times || ledger.total('answered') < calls) {
    await until(() => ledger.total('answered') >= Math.min(calls, ((faults + 1) * calls) / (times + 1)))
    if (faults < times) {
      const replica = oneOf(random, replicas)
      if (fault === 'kill') {
        await pause(FLUSH_EVERY_MS + atRiskMs) // a part of what is answered meanwhile is in the database
        await replica.kill()
        ledger.killed(replica, performance.now())
      } else await replica.stop()
      await replica.start()
      faults++
    }
    say(`${fault} ${faults} of ${times}, calls ${ledger.total('answered')}`)
  }
  isOver = true
  await Promise.all(calling)
  await Promise.all(replicas.map((replica) => replica.stop()))
  const after = await countedBySecret(sql, cluster)
  await Promise.all(replicas.map((replica) => replica.start()))

  const numbers = secrets.map((secret) => ({ secret, counted: (after.get(secret) ?? 0) - (before.get(secret) ?? 0) }))
  return {
    answered: ledger.total('answered'),
    uncertain: ledger.total('uncertain'),
    atRisk: ledger.total('atRisk'),
    off: numbers.reduce((sum, { secret, counted }) => sum + Math.abs(ledger.of(secret).answered - counted), 0),
    wrong: numbers.flatMap(({ secret, counted }) => wrongCount(counted, ledger.of(secret)) ?? []),
    answers,
  }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(20)
}

/** What the database says, whatever hours and days it stands in. */
async function countedBySecret(sql: Sql, { organizations }: Cluster): Promise<Map<string, number>> {
  const ofOrganization = countedIn(await sql.unsafe<CountedRow[]>(CALLS_OF_ORGANIZATIONS))
  return new Map(organizations.map(({ id, secret }) => [secret, ofOrganization.get(id) ?? 0]))
}
