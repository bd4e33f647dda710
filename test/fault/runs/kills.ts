import { askOnce } from '../../support/postgres/postgres-sql.ts'
import { type Cluster, seed as makeOrganizations, startCluster } from '../cluster.ts'
import { killAll, type Victim } from '../kill-rounds.ts'
import { temporaryFolder } from '../processes.ts'
import { createRandom, oneOf } from '../random.ts'
import { createReplica, PORTAL, type Replica } from '../replica.ts'
import type { Run, RunOptions } from '../report.ts'

const TIMES = {
  full: { sqlite: 80, replica: 60, postmaster: 30, backend: 30 },
  quick: { sqlite: 4, replica: 3, postmaster: 2, backend: 2 },
  tiny: { sqlite: 2, replica: 1, postmaster: 1, backend: 1 },
}

type Result = Awaited<ReturnType<Run>>

/** kill -9 in the middle of writes, on both databases: every answered write is there, every answered revoke is kept. */
export const kills: Run = async (options) => {
  const times = TIMES[options.effort]
  const onSqlite = await killOnSqlite(times.sqlite, options)
  const onPostgres = await killOnPostgres(times, options)
  const faults = { ...onSqlite.faults, ...onPostgres.faults }
  const killed = Object.values(faults).reduce((sum, count) => sum + count, 0)
  const wanted = Object.values(times).reduce((sum, count) => sum + count, 0)
  return {
    figures: [
      { what: 'kills', value: killed, wants: { atLeast: wanted } },
      ...onSqlite.figures.map((figure) => ({ ...figure, what: `SQLite: ${figure.what}` })),
      ...onPostgres.figures.map((figure) => ({ ...figure, what: `PostgreSQL: ${figure.what}` })),
    ],
    faults,
    answers: sum(onSqlite.answers, onPostgres.answers),
    wrong: [...onSqlite.wrong, ...onPostgres.wrong],
  }
}

async function killOnSqlite(times: number, options: RunOptions): Promise<Result> {
  const folder = temporaryFolder()
  const replica = createReplica('portal', PORTAL, { DATA_DIR: folder.path })
  try {
    const organizations = await makeOrganizations({ DATA_DIR: folder.path }, times)
    await replica.start()
    const victim = { name: 'kill -9 on SQLite', times, kill: () => replica.kill(), bringBack: () => replica.start() }
    const result = await killAll({ replicas: [replica], organizations, victims: [victim] }, options)
    return { ...result, wrong: [...result.wrong, ...replica.troubles()] }
  } finally {
    await replica.kill()
    folder.remove()
  }
}

async function killOnPostgres(times: typeof TIMES.full, options: RunOptions): Promise<Result> {
  const organizations = times.replica + times.postmaster + times.backend
  const cluster = await startCluster({
    random: createRandom(options.seed),
    replicas: 2,
    organizations,
    ledgers: 'shared',
  })
  try {
    const result = await killAll({ ...cluster, victims: victimsOf(cluster, times) }, options)
    return { ...result, wrong: [...result.wrong, ...cluster.troubles()] }
  } finally {
    await cluster.close()
  }
}

function victimsOf({ replicas, postgres }: Cluster, times: typeof TIMES.full): Victim[] {
  let victim: Replica | undefined
  return [
    {
      name: 'kill -9 of a replica',
      times: times.replica,
      async kill(random) {
        victim = oneOf(random, replicas)
        await victim.kill()
      },
      bringBack: async () => void (await victim?.start()),
    },
    {
      name: 'kill -9 of PostgreSQL',
      times: times.postmaster,
      kill: () => postgres.kill(),
      bringBack: () => postgres.start(),
    },
    {
      name: 'kill -9 of a backend',
      times: times.backend,
      async kill() {
        const [row] = await askOnce(postgres.url())(
          (sql) => sql`select "pid" from pg_stat_activity where "application_name" = 'portal'
            order by "state" = 'active' desc, random() limit 1`,
        )
        if (row) process.kill(row['pid'], 'SIGKILL') // the server then ends all others, and recovers by itself
      },
      bringBack: async () => {},
    },
  ]
}

const sum = (one: Record<string, number>, other: Record<string, number>) =>
  Object.fromEntries(Object.keys({ ...one, ...other }).map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
