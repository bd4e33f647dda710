import { readMetric } from './support/call.ts'
import type { Bench, Finding, Question } from './support/question.ts'
import { alternate, type Measure, measure, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { startStage } from './support/stage.ts'
import { summarize } from './support/statistics.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const MANY = 64
const NAMES = { alone: 'one call at a time', shared: `${MANY} connections` }

/** The cost of looking up every key in PostgreSQL: in queries under load, in time without. */
export const sharedLookups: Question = {
  id: 'P5',
  asks: `queries for keys at ${MANY} connections on PostgreSQL, and one call at a time against SQLite`,
  answer: (bench) =>
    withPostgresFleet({ keys: 1000 }, async (onPostgres, absent) => {
      if (!onPostgres) return { findings: [], systems: [], absent }
      const stages = [await startStage('PostgreSQL', onPostgres), await startStage('SQLite', bench.fleet)] as const
      const shared = await shareLookups(bench, { ...stages[0], connections: MANY })
      const alone = stages.map((stage): Stage => ({ ...stage, connections: 1 }))
      const [ofPostgres = [], ofSqlite = []] = await alternate(bench, 'P5', alone)
      for (const { system } of stages) await system.stop()
      return {
        findings: [shared.finding, ...idleFindings(ofPostgres, ofSqlite)],
        systems: [
          rowOf(`PostgreSQL, ${NAMES.shared}`, shared.measures),
          rowOf(`PostgreSQL, ${NAMES.alone}`, ofPostgres),
          rowOf(`SQLite, ${NAMES.alone}`, ofSqlite),
        ],
      }
    }),
}

/** Each request looks its key up; the portal reports how many queries that took. */
async function shareLookups({ generator, effort, progress }: Bench, stage: Stage) {
  const { port } = stage.system
  const measures: Measure[] = []
  const queries: number[] = []
  await measure(stage, generator, effort.warmUpMs)
  for (let round = 1; round <= effort.rounds; round++) {
    progress.say(`P5 · ${NAMES.shared}, round ${round} of ${effort.rounds}`)
    const before = await countsOf(port)
    const result = await measure(stage, generator, effort.roundMs)
    const after = await countsOf(port)
    const lookups = after.lookups - before.lookups
    if (lookups < result.requests) throw new Error(`${result.requests} requests were answered by ${lookups} lookups.`)
    measures.push(result)
    queries.push((after.queries - before.queries) / result.requests)
  }
  const finding: Finding = {
    what: `queries for keys at ${NAMES.shared}`,
    value: summarize(queries),
    unit: 'queries a request',
    budget: { atMost: 0.2 },
  }
  return { finding, measures }
}

async function countsOf(port: number): Promise<{ lookups: number; queries: number }> {
  const lookups = await readMetric(port, 'portal_lookups_total')
  return { lookups, queries: await readMetric(port, 'portal_lookup_queries_total') }
}

function idleFindings(ofPostgres: Measure[], ofSqlite: Measure[]): Finding[] {
  const p50 = (measures: Measure[]) => summarize(measures.map(({ p50Ms }) => p50Ms))
  return [
    { what: `p50 of ${NAMES.alone}, PostgreSQL`, value: p50(ofPostgres), unit: 'ms' },
    { what: `p50 of ${NAMES.alone}, SQLite`, value: p50(ofSqlite), unit: 'ms' },
    { what: `the same, PostgreSQL against SQLite`, value: ratioOf(ofPostgres, ofSqlite, 'p50Ms'), unit: '×' },
  ]
}
