import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ask, startChild } from './support/children.ts'
import type { Answer, Bench, Finding, Question } from './support/question.ts'
import { type Fleet, fillSqlite } from './support/seed.ts'
import { crowdRows } from './support/seed-crowd.ts'
import { quantile, summarize } from './support/statistics.ts'
import { undisturbed } from './support/stolen-time.ts'
import { startPortal } from './support/system.ts'
import { withPostgresRows } from './support/with-postgres.ts'

// Both are programs of the fuzz run, started and not imported: an attacker, and an unrelated caller.
const ATTACKER = fileURLToPath(import.meta.resolve('../test/fuzz/attack.ts'))
const BYSTANDER = fileURLToPath(import.meta.resolve('../test/fuzz/bystander-process.ts'))
const BUDGET = { atMost: 100 }
const LIMITED = { RATE_LIMIT: '100' } // the default: requests that limits refuse are no attack
const PATIENCE_MS = 60_000
const EVERY_MS = 10 // as in bystander-process.ts
const ATTACKS = 3

interface Attack {
  sent: number
  codes: Record<string, number>
}

/** What the bystander saw without the attacker and beside it. */
interface Round {
  before: Seen
  during: Seen
  attack: Attack
}

interface Seen {
  latenciesMs: number[]
  waitingMs: number
  refused: string[]
}

/** Whether one caller can delay another one. */
export const bystander: Question = {
  id: 'P12',
  asks: 'a plain call every 10 ms in one organization while a key of a large one sends the worst that limits allow',
  isLong: true,
  async answer(bench) {
    const { manyDevices } = bench.effort
    const size = { devices: manyDevices, people: Math.ceil(manyDevices / 100), events: manyDevices }
    const onSqlite = await measure(bench, 'SQLite', await fillSqlite(crowdRows(size), bench.progress))
    const onPostgres = await withPostgresRows(
      crowdRows(size),
      async (fleet, absent): Promise<Answer> =>
        fleet
          ? { findings: await measure(bench, 'PostgreSQL', fleet), systems: [] }
          : { findings: [], systems: [], absent },
      bench.progress,
    )
    return { ...onPostgres, findings: [...onSqlite, ...onPostgres.findings] }
  },
}

async function measure(bench: Bench, on: string, fleet: Fleet): Promise<Finding[]> {
  const rounds: Round[] = []
  const attacks: Attack[] = [] // with those of disturbed rounds, which are measured again
  for (let i = 1; i <= ATTACKS; i++) {
    const round = await undisturbed(async () => {
      const measured = await attackOnce(bench, `P12 · ${on} · attack ${i} of ${ATTACKS}`, fleet)
      attacks.push(measured.attack)
      return measured
    })
    rounds.push(round)
  }
  return findingsOf(on, rounds, attacks)
}

/** On a portal that has just been started: it knows none of the attacker's documents. */
async function attackOnce({ effort, progress }: Bench, what: string, fleet: Fleet): Promise<Round> {
  const system = await startPortal('portal', { ...fleet, settings: { ...fleet.settings, ...LIMITED } })
  const { port } = system
  const [own, ...others] = fleet.secrets
  const child = startChild(fleet.folder, { name: 'bystander', args: [BYSTANDER], answers: 'by itself' })
  child.process.send({ port, secrets: others })
  const poll = () => ask<Seen>(child, 'poll', PATIENCE_MS)
  try {
    progress.say(`${what} · before it`)
    await pause(effort.warmUpMs)
    await poll()
    await pause(effort.attackMs / 2)
    const before = await poll()
    progress.say(`${what} · in progress`)
    const attacker = startChild(fleet.folder, { name: 'attacker', args: [ATTACKER], answers: 'by itself' })
    const order = { port, secret: own, ms: effort.attackMs }
    const attack = await ask<Attack>(attacker, order, effort.attackMs + PATIENCE_MS)
    await attacker.stop()
    return { before, during: await poll(), attack }
  } finally {
    await child.stop()
    await system.stop()
  }
}

function findingsOf(on: string, rounds: Round[], attacks: Attack[]): Finding[] {
  const codes: Record<string, number> = {}
  for (const attack of attacks)
    for (const [code, times] of Object.entries(attack.codes)) codes[code] = (codes[code] ?? 0) + times
  const told = Object.entries(codes).map(([code, times]) => `${code} ${times}`)
  const sent = attacks.reduce((sum, attack) => sum + attack.sent, 0)
  const finding = (what: string, latencyOf: (round: Round) => number, budget?: Finding['budget']): Finding => ({
    what: `${on}, ${what}`,
    value: summarize(rounds.map(latencyOf)),
    unit: 'ms',
    ...(budget && { budget }),
  })
  return [
    finding(
      `a bystander's p99 beside ${sent} calls of an attacker (${told.join(', ')})`,
      ({ during }) => latency(during, 0.99),
      BUDGET,
    ),
    finding('the longest of an attack', ({ during }) => latency(during, 1)),
    finding('p99 without the attacker', ({ before }) => latency(before, 0.99)),
    {
      what: `${on}, answers to the attacker that report a bug`,
      value: summarize([codes['INTERNAL'] ?? 0]),
      unit: 'answers',
      budget: { atMost: 0 },
    },
  ]
}

/**
 * A call that still waits counts as well, with those that were due in the meantime, and a refused one as an endless
 * wait.
 */
function latency({ latenciesMs, waitingMs, refused }: Seen, share: number): number {
  const due = Array.from({ length: Math.ceil(waitingMs / EVERY_MS) }, (_, i) => waitingMs - i * EVERY_MS)
  const all = [...latenciesMs, ...due, ...refused.map(() => PATIENCE_MS)]
  return quantile(
    all.toSorted((a, b) => a - b),
    share,
  )
}
