import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { PostgresServer } from '../../support/postgres/postgres-server.ts'
import { askOnce } from '../../support/postgres/postgres-sql.ts'
import { type Cluster, startCluster } from '../cluster.ts'
import { watchKeysEnd } from '../ending-keys.ts'
import { type Fault, replicaFaults, startFaults } from '../faults.ts'
import { type GoingBack, goBack } from '../going-back.ts'
import { acceptedLate, type Operation } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { lateWrites } from '../late-writes.ts'
import {
  JUDGED_BEFORE_BODY,
  KEY_GONE,
  NOTHING_REMEMBERED,
  PLANTED_FAULTS,
  type PlantedFault,
} from '../planted-faults.ts'
import { SEQUENCE_TAKEN_EARLY } from '../planted-ledger.ts'
import { between, createRandom, type Random } from '../random.ts'
import type { Effort, Figure, Run } from '../report.ts'
import { pointInTime } from '../restores.ts'
import { startWriting } from '../writing-lives.ts'
import { clocksApart } from './clocks.ts'

/** What a replica runs in place of the portal, followed by the name of a fault. */
export const PLANTED_PORTAL = fileURLToPath(import.meta.resolve('../planted-replica.ts'))
const FOUND_WITHIN_MS = 300_000
const CONTROL_MS = { full: 20_000, quick: 5000, tiny: 0 }
const POLL_EVERY_MS = 250
const STANDBY = 'lookup on a standby'
const WITHOUT_LOCK = 'a write without the lock on its key'
const OWN_CLOCK = "end dates by the replica's own clock"

const HAPPENINGS = ['TCP delay', 'TCP cut', 'database errors']
/** `keys` forgets the names. A portal without a memory of its own is right until the database has gone back. */
const ALL = (Object.keys(PLANTED_FAULTS) as PlantedFault[]).filter((fault) => fault !== NOTHING_REMEMBERED)
const CHOSEN: Record<Effort, PlantedFault[]> = {
  full: ALL,
  quick: ['nothing', 'a cache of 1 s', 'joining a query already sent', WITHOUT_LOCK, JUDGED_BEFORE_BODY],
  tiny: ['a cache of 1 s', WITHOUT_LOCK, JUDGED_BEFORE_BODY], // the other runs show that nothing is found where nothing is planted
}

type PlantedWay = Pick<GoingBack, 'backUp' | 'ledgers'>

/** What has to happen for a fault in the ledger to show. */
const PLANTED_WAYS: Record<string, PlantedWay> = {
  [SEQUENCE_TAKEN_EARLY]: { backUp: pointInTime, ledgers: 'own' },
}
const LEDGER_FAULTS: Record<Effort, number> = { full: 1, quick: 0, tiny: 0 } // it takes several restores to show
const MOST_RESTORES = 5

/** The checker checked: every fault that is planted is found, and where there is none, none is. */
export const planted: Run = async ({ effort, seed, say }) => {
  const figures: Figure[] = []
  const faults: Record<string, number> = {}
  for (const fault of CHOSEN[effort]) {
    const isControl = fault === 'nothing'
    const found = await search(fault, seed, isControl ? CONTROL_MS[effort] : FOUND_WITHIN_MS, effort === 'tiny' ? 2 : 3)
    say(`${fault}: ${found.violations} violations after ${found.seconds.toFixed(1)} s and ${found.calls} calls`)
    const seconds = found.violations > 0 ? found.seconds : Number.POSITIVE_INFINITY
    figures.push(
      isControl
        ? { what: `${fault} planted: violations`, value: found.violations, wants: { atMost: 0 } }
        : { what: `${fault}: found after s`, value: seconds, wants: { atMost: FOUND_WITHIN_MS / 1000 } },
      { what: `${fault}: calls until then`, value: found.calls },
    )
    for (const [name, count] of found.faults) faults[name] = (faults[name] ?? 0) + count
  }
  for (const [fault, way] of Object.entries(PLANTED_WAYS).slice(0, LEDGER_FAULTS[effort])) {
    const found = await searchRestores(fault, way, seed)
    say(`${fault}: ${found.wrong} wrong answers, in ${found.restores} restores`)
    figures.push(
      { what: `${fault}: wrong answers`, value: found.wrong, wants: { atLeast: 1 } },
      { what: `${fault}: restores until then`, value: found.restores },
    )
  }
  return { figures, faults, answers: {}, wrong: [] }
}

/** Until a restore brings a revoked key back, or is not over by itself: a ledger that lacks a revoke holds all keys. */
async function searchRestores(fault: string, way: PlantedWay, seed: number) {
  for (let restores = 1; ; restores++) {
    const { late, wrong } = await goBack({
      ...way,
      program: [PLANTED_PORTAL, fault],
      seed: seed + restores,
      revokesLost: 40,
    })
    const found = late.length + wrong.length
    if (found > 0 || restores === MOST_RESTORES) return { wrong: found, restores }
  }
}

/** Until the first violation, or for so long. */
async function search(fault: PlantedFault, seed: number, withinMs: number, replicas: number) {
  const random = createRandom(seed)
  let standby: PostgresServer | undefined
  const cluster = await startCluster({
    random,
    replicas,
    ...(fault === OWN_CLOCK && { env: clocksApart }),
    async args(server) {
      if (fault === STANDBY) standby = await server.makeStandby()
      return [PLANTED_PORTAL, fault, ...(standby ? [standby.url()] : [])]
    },
  })
  try {
    await announceDeletedKeys(cluster)
    const happenings = replicaFaults(cluster).filter(({ name }) => HAPPENINGS.includes(name))
    const load = loadFor(fault, cluster, random)
    const faults = startFaults(standby ? [...happenings, replayPause(standby)] : happenings, seed)
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    while ((await load.violations()) === 0 && seconds() * 1000 < withinMs) await pause(POLL_EVERY_MS)
    const found = {
      seconds: seconds(),
      calls: load.calls(),
      violations: await load.violations(),
      faults: faults.counts,
    }
    await faults.stop()
    await load.stop()
    return found
  } finally {
    await cluster.close()
    await standby?.close()
  }
}

/** What has to be done for the fault to show. */
function loadFor(fault: PlantedFault, cluster: Cluster, random: Random) {
  if (fault === WITHOUT_LOCK) return writing(cluster, random)
  return fault === OWN_CLOCK ? ending(cluster, random) : calling(cluster, random)
}

function calling(cluster: Cluster, random: Random) {
  const { history, counts, stop } = startLoad({ ...cluster, random })
  return { violations: async () => acceptedLate(history).length, calls: () => counts.calls, stop }
}

function writing(cluster: Cluster, random: Random) {
  const { counts, stop } = startWriting({ ...cluster, random })
  return { violations: async () => (await lateWrites(cluster.sql)).length, calls: () => counts.writes, stop }
}

function ending(cluster: Cluster, random: Random) {
  const history: Operation[] = []
  let isOver = false
  const watch = async () => {
    while (!isOver) history.push(...(await watchKeysEnd(cluster, random, 1)).history)
  }
  const watching = watch()
  const stop = () => {
    isOver = true
    return watching
  }
  return { violations: async () => acceptedLate(history).length, calls: () => history.length, stop }
}

/** What a portal that trusts in NOTIFY would have in its database. */
async function announceDeletedKeys({ sql }: Cluster): Promise<void> {
  await sql.unsafe(`
    create function tell_key_gone() returns trigger language plpgsql as
      $$ begin perform pg_notify('${KEY_GONE}', encode(old."secretHash", 'hex')); return null; end $$;
    create trigger tell_key_gone after delete on "apiKey" for each row execute function tell_key_gone()`)
}

/** The standby falls behind for a while, as one that is busy does. */
const replayPause = (standby: PostgresServer): Fault => ({
  name: 'standby behind',
  weight: 4,
  async happen(random) {
    const ask = askOnce(standby.url())
    await ask((sql) => sql`select pg_wal_replay_pause()`)
    await pause(between(random, 200, 1000))
    await ask((sql) => sql`select pg_wal_replay_resume()`)
  },
})
