import { askOnce } from '../../support/postgres-sql.ts'
import { type Cluster, type Member, startCluster } from '../cluster.ts'
import { acceptedLate } from '../history.ts'
import { type Load, startLoad } from '../key-lives.ts'
import { createRandom } from '../random.ts'
import { describeViolation, type Effort, type Figure, firstOf, type Run } from '../report.ts'
import { type BackUp, copiedFolder, logicalCopy, oldPrimary, pointInTime } from '../restores.ts'
import { until } from '../until.ts'

const WAYS = {
  'rows restored under the running portal': logicalCopy,
  'data folder copied back': copiedFolder,
  'recovery to a point in time': pointInTime,
  'an old primary that goes on answering': oldPrimary,
} satisfies Record<string, BackUp>

const CHOSEN: Record<Effort, (keyof typeof WAYS)[]> = {
  full: Object.keys(WAYS) as (keyof typeof WAYS)[], // `keys` forgets the names
  quick: Object.keys(WAYS) as (keyof typeof WAYS)[],
  tiny: ['an old primary that goes on answering'],
}
const TIMES: Record<Effort, number> = { full: 3, quick: 1, tiny: 1 }
const REVOKES_BEFORE = 5
const REVOKES_LOST: Record<Effort, number> = { full: 100, quick: 10, tiny: 5 }
const CALLS_AFTERWARDS = 300
const REVOKES_AFTERWARDS = 5
const PATIENCE_MS = 120_000
/** The first, one for the restore, and some for revokes that were under way meanwhile. */
const MOST_INCARNATIONS = 6

/** Whatever brings the past back: with one ledger that all replicas reach, no key does whose revoke was answered. */
export const restores: Run = async ({ effort, seed, say }) => {
  const figures: Figure[] = []
  const faults: Record<string, number> = {}
  const answers: Record<string, number> = {}
  const wrong: string[] = []
  for (const name of CHOSEN[effort])
    for (let time = 0; time < TIMES[effort]; time++) {
      const result = await goBack(WAYS[name], { seed: seed + time, revokesLost: REVOKES_LOST[effort] })
      const { late, revokes, lost, firstCallMs, incarnations } = result
      say(`${name}: lost ${lost}, late ${late.length}, first call after ${Math.round(firstCallMs)} ms`)
      figures.push(
        { what: `${name}: revokes that were lost`, value: lost, wants: { atLeast: 1 } },
        { what: `${name}: revokes`, value: revokes },
        { what: `${name}: calls accepted after their revoke`, value: late.length, wants: { atMost: 0 } },
        { what: `${name}: until the first call that is accepted, ms`, value: firstCallMs },
        { what: `${name}: incarnations`, value: incarnations, wants: { atMost: MOST_INCARNATIONS } },
      )
      faults[name] = (faults[name] ?? 0) + 1
      for (const [words, count] of result.answers) answers[words] = (answers[words] ?? 0) + count
      wrong.push(...firstOf([...late.map(describeViolation), ...result.wrong]).map((words) => `${name}: ${words}`))
    }
  return { figures, faults, answers, wrong }
}

async function goBack(backUp: BackUp, { seed, revokesLost }: { seed: number; revokesLost: number }) {
  const random = createRandom(seed)
  const cluster = await startCluster({ random, replicas: 2, ledgers: 'shared' })
  const load = startLoad({ ...cluster, random, clients: 8 })
  try {
    await more(load, 'revokes', REVOKES_BEFORE)
    const backup = await backUp(cluster, random)
    try {
      const before = await sequenceOf(cluster.replicas[1], cluster)
      await more(load, 'revokes', revokesLost)
      const lost = (await sequenceOf(cluster.replicas[1], cluster)) - before
      await backup.restore()
      const firstCallMs = await more(load, 'calls', 1)
      await more(load, 'calls', CALLS_AFTERWARDS)
      await more(load, 'revokes', REVOKES_AFTERWARDS)
      await load.callAgain(cluster.replicas.slice(1)) // the first may still be with an old primary
      const incarnations = await incarnationsOf(cluster.replicas[1], cluster)
      const { answers, counts } = load
      const wrong = [...answers.wrong, ...cluster.troubles()]
      const late = acceptedLate(load.history)
      return { late, revokes: counts.revokes, lost, firstCallMs, incarnations, answers: answers.counts, wrong }
    } finally {
      await load.stop()
      await backup.close?.()
    }
  } finally {
    await load.stop()
    await cluster.close()
  }
}

async function more(load: Load, what: 'calls' | 'revokes', count: number): Promise<number> {
  const enough = load.counts[what] + count
  const ms = await until(() => load.counts[what] >= enough, PATIENCE_MS)
  if (load.counts[what] < enough) load.answers.wrong.push(`no ${count} ${what} within ${PATIENCE_MS} ms`)
  return ms
}

/** By the way of a replica, which leads to the server that it uses. */
const ask = (replica: Member | undefined, { postgres }: Cluster) =>
  askOnce(postgres.url().replace(`:${postgres.port}/`, `:${replica?.proxy.port}/`))

const sequenceOf = (replica: Member | undefined, cluster: Cluster) =>
  ask(replica, cluster)(async (sql) => Number((await sql`select "sequence" from "revocationState"`)[0]?.['sequence']))

const incarnationsOf = (replica: Member | undefined, cluster: Cluster) =>
  ask(
    replica,
    cluster,
  )(async (sql) => Number((await sql`select count(*) from "revocation" where "kind" = 'INCARNATION'`)[0]?.['count']))
