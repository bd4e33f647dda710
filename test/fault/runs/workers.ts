import { setTimeout as pause } from 'node:timers/promises'
import { FLUSH_EVERY_MS } from '../../../server/api-keys/usage/counter.ts'
import type { Answers } from '../answers.ts'
import { describeSeenCall, startChanging } from '../changing-keys.ts'
import { createClient } from '../client.ts'
import { seed as makeOrganizations, type Organization } from '../cluster.ts'
import { endKey } from '../endings.ts'
import { startFaultsInTurn } from '../faults.ts'
import { violationsIn } from '../history.ts'
import { startLoad } from '../key-lives.ts'
import { createRandom } from '../random.ts'
import type { Replica } from '../replica.ts'
import {
  describeViolation,
  type Effort,
  type Figure,
  firstOf,
  LONG_ENOUGH_MS,
  type Run,
  type RunOptions,
} from '../report.ts'
import { until } from '../until.ts'
import { onPostgres, onSqlite, type RunDatabase } from '../workers/databases.ts'
import { workerFaults } from '../workers/faults.ts'
import { startLimited } from '../workers/limits.ts'
import { startWorkersPortal, type WorkersPortal } from '../workers/portal.ts'
import { startCounting } from '../workers/usage.ts'
import { createWire, unexplainedLosses, type Wire } from '../workers/wire.ts'

interface Wants {
  databases: (() => Promise<RunDatabase>)[]
  workers: number
  calls: number
  revokes: number
  changes: number
  /** The least number of faults of each kind. */
  faults: number
  /** The kinds of faults, by database; all of them unless named. */
  kinds?: Record<string, RegExp>
  /** Whether the limit of a second is watched in the end, which takes a while. */
  watchesLimits?: true
  streams: number
  lull: [number, number]
  clients: number
  /** What is counted reaches the database within 7.5 s; on a machine that is starved, a little later. */
  atRiskMs: number
  withinMs: number
}

const SHORT = {
  streams: 1,
  lull: [200, 800] as [number, number],
  atRiskMs: 2 * FLUSH_EVERY_MS,
  withinMs: LONG_ENOUGH_MS,
}
const WANTS: Record<Effort, Wants> = {
  full: {
    databases: [onSqlite, onPostgres],
    workers: 3,
    calls: 60_000,
    revokes: 600,
    changes: 600,
    faults: 8,
    streams: 2,
    lull: [500, 5000],
    clients: 8,
    atRiskMs: 1.5 * FLUSH_EVERY_MS,
    withinMs: 1_800_000,
    watchesLimits: true,
  },
  quick: {
    ...SHORT,
    databases: [onSqlite, onPostgres],
    workers: 3,
    calls: 2000,
    revokes: 20,
    changes: 20,
    faults: 1,
    kinds: { PostgreSQL: /^kill -9|hangs/ },
    clients: 4,
  },
  tiny: {
    ...SHORT,
    databases: [onSqlite],
    workers: 2,
    calls: 300,
    revokes: 5,
    changes: 5,
    faults: 1,
    kinds: { SQLite: /^kill -9/ },
    clients: 3,
  },
}
const ORGANIZATIONS = 40 // each rotation leaves a key there
const COUNTED = 4
const NEW_CONNECTIONS = 0.2
/** A worker that hangs is killed before. */
const ANSWER_WITHIN_MS = 60_000
const POLL_EVERY_MS = 100
const ALL_ANSWER_WITHIN_MS = 60_000
/** The answers to a rotated key that has expired. */
const AT_ITS_END = { '401 API_KEY_EXPIRED': 'refused', '200 API_KEY_EXPIRED': 'refused' } as const

/** A portal with workers that are killed, hang and are replaced, while keys are used, changed and revoked on all of them. */
export const workers: Run = async (options) => {
  const results = []
  for (const open of WANTS[options.effort].databases) {
    const database = await open()
    try {
      results.push(await disturb(database, options))
    } finally {
      await database.close()
    }
  }
  return {
    figures: results.flatMap(({ figures }) => figures),
    faults: sum(results.map(({ faults }) => faults)),
    answers: sum(results.flatMap(({ answers }) => answers)),
    wrong: firstOf(results.flatMap(({ wrong }) => wrong)),
  }
}

async function disturb(database: RunDatabase, options: RunOptions) {
  const wants = WANTS[options.effort]
  const organizations = await makeOrganizations(database.env, ORGANIZATIONS + COUNTED)
  const portal = await startWorkersPortal(wants.workers, database.env)
  try {
    return await underLoad(portal, { database, organizations, wants, ...options })
  } finally {
    await portal.kill()
  }
}

interface Stand extends RunOptions {
  database: RunDatabase
  organizations: Organization[]
  wants: Wants
}

async function underLoad(portal: WorkersPortal, { database, organizations, wants, seed, say }: Stand) {
  const random = createRandom(seed)
  const wire = createWire()
  const { crew } = portal
  const open = (answers: Answers) =>
    createClient<Replica>([portal], random, answers, {
      timeoutMs: ANSWER_WITHIN_MS,
      newRate: NEW_CONNECTIONS,
      follow: wire.follow,
    })
  const [other, ...others] = organizations.slice(COUNTED)
  if (!other) throw new Error('There are too few organizations.')
  const common = { replicas: [portal], organizations: others, random, open }
  const load = startLoad({ ...common, clients: wants.clients, end: endForGood(), also: AT_ITS_END })
  const changing = startChanging({ ...common, keys: Math.ceil(wants.clients / 3) })
  const limited = startLimited({ ...common, portal })
  const counted = { portal, organizations: organizations.slice(0, COUNTED), other, random, open }
  const counting = startCounting({ ...counted, atRiskMs: wants.atRiskMs })
  const happenings = workerFaults(portal).filter(({ name }) => wants.kinds?.[database.name]?.test(name) ?? true)
  const faults = startFaultsInTurn(happenings, seed, wants)

  const { counts } = load
  const fewest = () => Math.min(...happenings.map(({ name }) => faults.counts.get(name) ?? 0))
  const isEnough = () =>
    counts.calls >= wants.calls &&
    counts.revokes >= wants.revokes &&
    changing.counts.changes >= wants.changes &&
    limited.counts.spentOverDeaths > 0 &&
    fewest() >= wants.faults
  for (const start = performance.now(); !isEnough() && performance.now() - start < wants.withinMs; ) {
    await pause(POLL_EVERY_MS)
    say(
      `${database.name}: calls ${counts.calls}  revokes ${counts.revokes}  faults ${faults.total()}  wrong ${crew.wrong.length}`,
    )
  }
  await faults.stop()
  await requireAllServe(portal, wire)
  if (wants.watchesLimits && !(await limited.isWholeAgain())) crew.wrong.push('a limit of a second is not whole again')
  await limited.stop()
  wire.ignoreLosses()
  await Promise.all([load.stop(), changing.stop()])
  await load.callAgain([portal])
  await counting.stop() // at the last moment: what is not written yet is written by the workers when they stop
  await portal.stop()

  const usage = counting.compare(await database.counted())
  const violations = violationsIn(load.history)
  const changed = changing.violations()
  const losses = unexplainedLosses(wire.lost, crew)
  const limits = limited.wrong()
  const figures: Figure[] = [
    { what: 'calls', value: counts.calls, wants: { atLeast: wants.calls } },
    { what: 'keys ended', value: counts.revokes, wants: { atLeast: wants.revokes } },
    { what: 'changes of keys', value: changing.counts.changes, wants: { atLeast: wants.changes } },
    { what: 'faults of each kind', value: fewest(), wants: { atLeast: wants.faults } },
    { what: 'workers that died', value: crew.deaths.length },
    { what: 'violations', value: violations.length, wants: { atMost: 0 } },
    { what: 'calls that no change explains', value: changed.length, wants: { atMost: 0 } },
    { what: 'calls lost with their worker', value: wire.lost.length - losses.length },
    { what: 'calls lost otherwise', value: losses.length, wants: { atMost: 0 } },
    { what: 'calls counted', value: usage.answered },
    { what: 'of them answered within the flush window before a death', value: usage.atRisk },
    { what: 'of them lost', value: usage.lost, wants: { atMost: usage.atRisk } },
    { what: 'limits of a day spent', value: limited.counts.spent },
    { what: 'of them while a worker died', value: limited.counts.spentOverDeaths, wants: { atLeast: 1 } },
    { what: 'workers that counted alone for a while', value: crew.countedAlone.length },
    { what: 'limits that did not hold', value: limits.length, wants: { atMost: 0 } },
  ]
  const all = [load.answers, changing.answers, limited.answers, counting.answers]
  return {
    figures: figures.map((figure) => ({ ...figure, what: `${database.name}: ${figure.what}` })),
    faults: Object.fromEntries(faults.counts),
    answers: all.map((each) => Object.fromEntries(each.counts)),
    wrong: [
      ...violations.map(describeViolation),
      ...changed.map(describeSeenCall),
      ...crew.wrong,
      ...all.flatMap(({ wrong }) => wrong),
      ...losses,
      ...limits,
      ...usage.wrong,
    ].map((words) => `${database.name}: ${words}`),
  }
}

/**
 * Ends a key in any of the ways. A rotation without an answer may have happened, and a revoke is then accepted all the same: the
 * end lasts from the first try on.
 */
function endForGood(): typeof endKey {
  const begun = new Map<string, number>()
  return async (at, to, key, isAgain) => {
    if (!isAgain) begun.set(key.id, performance.now())
    const isCertain = await endKey(at, to, key, isAgain)
    const last = isAgain && at.record.history.findLast((one) => one.key === key.id && one.kind === 'revoke')
    if (last) last.start = begun.get(key.id) ?? last.start
    return isCertain
  }
}

/** Every worker that there should be answers calls, and one of them has the background jobs. */
async function requireAllServe(portal: WorkersPortal, wire: Wire): Promise<void> {
  const { crew, workers } = portal
  const since = performance.now()
  if (!(await portal.allServe())) crew.wrong.push(`${crew.serving.size} of ${workers} workers serve in the end`)
  const answering = () => new Set(wire.answeredSince(since).map((mark) => crew.workerOf.get(mark)))
  const silent = () => [...crew.serving.keys()].filter((worker) => !answering().has(worker))
  await until(() => silent().length === 0, ALL_ANSWER_WITHIN_MS)
  for (const worker of silent()) crew.wrong.push(`worker ${worker} answers nothing in the end`)
  const hasJobs = () => crew.serving.has(crew.hasJobs() ?? Number.NaN)
  await until(hasJobs, ALL_ANSWER_WITHIN_MS)
  if (!hasJobs()) crew.wrong.push('no worker has the background jobs in the end')
}

const sum = (all: Record<string, number>[]) => {
  const total: Record<string, number> = {}
  for (const each of all) for (const [name, count] of Object.entries(each)) total[name] = (total[name] ?? 0) + count
  return total
}
