import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { LedgerFile } from '../../server/ledger/ledger-file.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { acceptedLate } from './history.ts'
import { type Load, startLoad } from './key-lives.ts'
import type { Ledgers } from './ledgers.ts'
import { between, createRandom, oneOf, type Random } from './random.ts'
import type { BackUp } from './restores.ts'
import { signUp } from './session.ts'
import { until } from './until.ts'

const REVOKES_BEFORE = 5
const CALLS_AFTERWARDS = 300
const REVOKES_AFTERWARDS = 5
const PATIENCE_MS = 120_000
const BETWEEN_KILLS_MS: [number, number] = [50, 400]

export interface GoingBack {
  backUp: BackUp
  seed: number
  /** How many revokes are answered after the backup. */
  revokesLost: number
  ledgers?: Ledgers
  /** What replicas run in place of the portal. */
  program?: string[]
  isUnprivileged?: boolean
  /** The folder of another PostgreSQL than npm's. */
  binaries?: string
  /** How often a replica is killed after the backup, in the middle of revokes. */
  kills?: number
}

/** Two replicas on a database that goes back to a backup while keys are used and revoked; then every key is called. */
export async function goBack(options: GoingBack) {
  const { backUp, seed, revokesLost, ledgers = 'shared', program, kills = 0 } = options
  const { isUnprivileged, binaries } = options
  const random = createRandom(seed)
  const args = program && { args: async () => program }
  const cluster = await startCluster({ random, replicas: 2, ledgers, isUnprivileged, binaries, ...args })
  const load = startLoad({ ...cluster, random, clients: 8 })
  const backups: Awaited<ReturnType<BackUp>>[] = []
  try {
    const ada = await signUp({ port: () => cluster.replicas[1]?.port() })
    await more(load, 'revokes', REVOKES_BEFORE)
    const backup = await backUp(cluster, random)
    backups.push(backup)
    const before = await sequenceOf(cluster)
    await Promise.all([more(load, 'revokes', revokesLost), killOver(cluster, kills, random)])
    const lost = (await sequenceOf(cluster)) - before
    const copiedMs = ledgers === 'own' ? await loseFirst(cluster, load) : 0
    await backup.restore()
    const outageMs = ledgers === 'own' ? 0 : await goOn(load)
    await load.callAgain(cluster.replicas.slice(1)) // the first is lost, or may still be with an old primary
    if (await ada.isAccepted()) load.answers.wrong.push('a session from before the restore is accepted')
    return {
      late: acceptedLate(load.history),
      revokes: load.counts.revokes,
      lost,
      copiedMs,
      outageMs,
      incarnations: await incarnationsOf(cluster),
      answers: load.answers.counts,
      wrong: [...load.answers.wrong, ...cluster.troubles()],
    }
  } finally {
    await load.stop()
    await cluster.close()
    await Promise.all(backups.map((backup) => backup.close?.()))
  }
}

async function killOver({ replicas }: Cluster, times: number, random: Random): Promise<void> {
  for (let killed = 0; killed < times; killed++) {
    await pause(between(random, ...BETWEEN_KILLS_MS))
    const replica = oneOf(random, replicas)
    await replica.kill()
    await replica.start()
  }
}

async function goOn(load: Load): Promise<number> {
  const outageMs = await more(load, 'calls', 1)
  await more(load, 'calls', CALLS_AFTERWARDS)
  await more(load, 'revokes', REVOKES_AFTERWARDS)
  return outageMs
}

/** Once both have copied every revoke, the first replica is gone with its ledger; gives how long the copying took. */
async function loseFirst(cluster: Cluster, load: Load): Promise<number> {
  await load.stop()
  const sequence = await sequenceOf(cluster)
  const files = cluster.replicas.map((_, place) => new LedgerFile(cluster.ledgers.path(place)))
  const copiedMs = await until(() => files.every((file) => (file.agreed()?.sequence ?? 0) >= sequence), PATIENCE_MS)
  for (const file of files) file.close()
  await cluster.replicas[0]?.kill()
  for (const end of ['', '-wal', '-shm']) rmSync(cluster.ledgers.path(0) + end, { force: true })
  return copiedMs
}

async function more(load: Load, what: 'calls' | 'revokes', count: number): Promise<number> {
  const enough = load.counts[what] + count
  const ms = await until(() => load.counts[what] >= enough, PATIENCE_MS)
  if (load.counts[what] < enough) load.answers.wrong.push(`no ${count} ${what} within ${PATIENCE_MS} ms`)
  return ms
}

/** By the way of the second replica, which leads to the server that it uses. */
const ask = ({ postgres, replicas }: Cluster) =>
  askOnce(postgres.url().replace(`:${postgres.port}/`, `:${replicas[1]?.proxy.port}/`))

const sequenceOf = (cluster: Cluster) =>
  ask(cluster)(async (sql) => Number((await sql`select "sequence" from "revocationState"`)[0]?.['sequence']))

const incarnationsOf = (cluster: Cluster) =>
  ask(cluster)(async (sql) =>
    Number((await sql`select count(*) from "revocation" where "kind" = 'INCARNATION'`)[0]?.['count']),
  )
