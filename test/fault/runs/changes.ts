import { setTimeout as pause } from 'node:timers/promises'
import { type ChangingLoad, describeSeenCall, startChanging } from '../changing-keys.ts'
import { seed, startCluster } from '../cluster.ts'
import { databaseRestart, type Fault, replicaFaults, startFaults, type Weathering } from '../faults.ts'
import { lateByChanges } from '../late-changes.ts'
import type { PlantedFault } from '../planted-faults.ts'
import { between, createRandom, type Random } from '../random.ts'
import { PORTAL, type Replica } from '../replica.ts'
import { type Effort, firstOf, LONG_ENOUGH_MS, type Run } from '../report.ts'
import { createSqlitePortal } from '../sqlite-portal.ts'
import { PLANTED_PORTAL } from './planted.ts'

const WANTS = {
  full: { calls: 60_000, changes: 3000, faults: 100, longestStopMs: 5000, withinMs: 1_800_000 },
  quick: { calls: 4000, changes: 200, faults: 6, longestStopMs: 3000, withinMs: LONG_ENOUGH_MS },
  tiny: { calls: 800, changes: 40, faults: 2, longestStopMs: 1500, withinMs: LONG_ENOUGH_MS },
}
const PLANTED: Record<Effort, PlantedFault[]> = {
  full: ['a cache of 1 s', 'joining a query already sent', 'an old snapshot', 'a write without the lock on its key'],
  quick: ['a cache of 1 s', 'a write without the lock on its key'],
  tiny: [],
}
/** Pauses between faults of the one process on SQLite: while it is down, there are no calls. */
const BETWEEN_FAULTS_MS: [number, number] = [3000, 8000]
const FOUND_WITHIN_MS = 120_000
const POLL_EVERY_MS = 250

interface Under {
  load: ChangingLoad
  faults: Weathering
  troubles(): string[]
  /** Writes that the database has committed although a change before them forbids it. */
  lateWrites?(): Promise<string[]>
}

/** Pausing, resuming, narrowing, widening and other networks, on both databases, whatever happens to the processes. */
export const changes: Run = async ({ effort, seed: first, say }) => {
  const wants = WANTS[effort]
  const onBoth = [
    { name: 'PostgreSQL', ...(await onPostgres(first, wants.longestStopMs, goOn)) },
    { name: 'SQLite', ...(await onSqlite(first, wants.longestStopMs, goOn)) },
  ]
  const planted = []
  for (const fault of PLANTED[effort]) planted.push({ fault, seconds: await findPlanted(fault, first) })
  return {
    figures: [
      ...onBoth.flatMap(({ name, calls, counts, faults, violations, late }) => [
        { what: `${name}: calls`, value: calls, wants: { atLeast: wants.calls } },
        { what: `${name}: of which refused`, value: counts.refused, wants: { atLeast: 1 } },
        { what: `${name}: changes`, value: counts.changes, wants: { atLeast: wants.changes } },
        { what: `${name}: calls held back over a change`, value: counts.heldBack, wants: { atLeast: 1 } },
        { what: `${name}: faults`, value: faults.total(), wants: { atLeast: wants.faults } },
        { what: `${name}: violations`, value: violations.length, wants: { atMost: 0 } },
        ...(name === 'PostgreSQL'
          ? [
              {
                what: `${name}: writes committed after a change that forbids them`,
                value: late.length,
                wants: { atMost: 0 },
              },
            ]
          : []),
      ]),
      ...planted.map(({ fault, seconds }) => ({
        what: `${fault}: found after s`,
        value: seconds,
        wants: { atMost: FOUND_WITHIN_MS / 1000 },
      })),
    ],
    faults: sum(onBoth.map(({ faults }) => faults.counts)),
    answers: sum(onBoth.map(({ answers }) => answers.counts)),
    wrong: firstOf(
      onBoth.flatMap(({ violations, late, answers, troubles }) => [
        ...violations.map(describeSeenCall),
        ...late,
        ...answers.wrong,
        ...troubles,
      ]),
    ),
  }

  async function goOn({ load, faults, troubles, lateWrites = async () => [] }: Under) {
    const { counts, answers } = load
    const calls = () => counts.accepted + counts.refused
    const isEnough = () => calls() >= wants.calls && counts.changes >= wants.changes && faults.total() >= wants.faults
    for (const start = performance.now(); !isEnough() && performance.now() - start < wants.withinMs; ) {
      await pause(POLL_EVERY_MS)
      say(`calls ${calls()}  changes ${counts.changes}  faults ${faults.total()}`)
    }
    await faults.stop()
    await load.stop()
    return {
      calls: calls(),
      counts,
      faults,
      answers,
      violations: load.violations(),
      late: await lateWrites(),
      troubles: troubles(),
    }
  }
}

type GoOn<Result> = (under: Under) => Promise<Result>

async function onPostgres<Result>(seed: number, longestStopMs: number, goOn: GoOn<Result>): Promise<Result> {
  const random = createRandom(seed)
  const cluster = await startCluster({ random, replicas: 2 })
  try {
    const load = startChanging({ ...cluster, random })
    const faults = startFaults([...replicaFaults(cluster, longestStopMs), databaseRestart(cluster)], seed)
    return await goOn({ load, faults, troubles: cluster.troubles, lateWrites: () => lateByChanges(cluster.sql) })
  } finally {
    await cluster.close()
  }
}

async function onSqlite<Result>(first: number, longestStopMs: number, goOn: GoOn<Result>): Promise<Result> {
  const random = createRandom(first)
  const portal = createSqlitePortal(PORTAL)
  try {
    const organizations = await seed({ DATA_DIR: portal.folder }, 4)
    await portal.start()
    const load = startChanging({ replicas: [portal], organizations, random })
    const faults = startFaults(processFaults(portal, longestStopMs), first, BETWEEN_FAULTS_MS)
    return await goOn({ load, faults, troubles: portal.troubles })
  } finally {
    await portal.remove()
  }
}

/** One at a time: a process that was killed cannot be stopped. */
function processFaults(portal: Replica, longestStopMs: number): Fault[] {
  let underWay = Promise.resolve()
  const oneAtATime = (happen: (random: Random) => Promise<void>) => (random: Random) => {
    underWay = underWay.then(() => happen(random))
    return underWay
  }
  return [
    { name: 'SIGSTOP', weight: 2, happen: oneAtATime((random) => portal.pause(between(random, 100, longestStopMs))) },
    {
      name: 'kill -9',
      weight: 1,
      happen: oneAtATime(async () => {
        await portal.kill()
        await portal.start()
      }),
    },
  ]
}

/** In seconds; Infinity: it was not found. */
async function findPlanted(fault: PlantedFault, seed: number): Promise<number> {
  const random = createRandom(seed)
  const cluster = await startCluster({ random, replicas: 2, args: async () => [PLANTED_PORTAL, fault] })
  try {
    const load = startChanging({ ...cluster, random })
    const delays = replicaFaults(cluster).filter(({ name }) => name === 'TCP delay')
    const faults = startFaults(delays, seed)
    const start = performance.now()
    const elapsed = () => performance.now() - start
    const isFound = async () => load.violations().length > 0 || (await lateByChanges(cluster.sql)).length > 0
    while (!(await isFound()) && elapsed() < FOUND_WITHIN_MS) await pause(POLL_EVERY_MS)
    const seconds = (await isFound()) ? elapsed() / 1000 : Number.POSITIVE_INFINITY
    await faults.stop()
    await load.stop()
    return seconds
  } finally {
    await cluster.close()
  }
}

const sum = (all: Map<string, number>[]) => {
  const names = new Set(all.flatMap((each) => [...each.keys()]))
  return Object.fromEntries(
    [...names].map((name) => [name, all.reduce((total, each) => total + (each.get(name) ?? 0), 0)]),
  )
}
