import { rawCall } from './support/call.ts'
import { expectPage } from './support/expected.ts'
import { type Answer, type Bench, calmer, type Finding, type Question } from './support/question.ts'
import { alternate, alternateAnew, ratioOf, rowOf, type Stage } from './support/rounds.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { startStage } from './support/stage.ts'
import { startPortal } from './support/system.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const FEW = 1000
const BUDGET = { atMost: 1.15 }
const LISTED = 20
const KEYS = `{ apiKeys(first: ${LISTED}) { data { id label } } }`

/** A database with many keys, and one with few. */
interface Pair {
  on: string
  keys: number
  many: Fleet
  few: Fleet
}

/** Whether a call takes longer when there are many keys. The calling keys are spread over all the others. */
export const growth: Question = {
  id: 'P3',
  asks: 'the call of P1 by 100 keys in turn, and the list of the keys, among a million keys against a thousand',
  async answer(bench) {
    const { manyKeys } = bench.effort
    const many = await seedFleet({ keys: manyKeys }, bench.progress)
    const onSqlite = await compare(bench, { on: 'SQLite', keys: manyKeys, many, few: bench.fleet })
    const onPostgres = await withPostgresFleet(
      { keys: manyKeys },
      (many, absent) =>
        withPostgresFleet({ keys: FEW }, async (few): Promise<Answer> => {
          if (!many || !few) return { findings: [], systems: [], absent }
          return compare(bench, { on: 'PostgreSQL', keys: manyKeys, many, few })
        }),
      bench.progress,
    )
    return {
      findings: [...onSqlite.findings, ...onPostgres.findings],
      systems: [...onSqlite.systems, ...onPostgres.systems],
      absent: onPostgres.absent ?? [],
    }
  },
}

async function compare(bench: Bench, pair: Pair): Promise<Answer> {
  const { on, keys, many, few } = pair
  const [nameOfMany, nameOfFew] = [`${on}, ${keys.toLocaleString('en')} keys`, `${FEW.toLocaleString('en')} keys`]
  const start = async () => [await startStage(nameOfMany, many), await startStage(`${on}, ${nameOfFew}`, few)] as const
  const [ofMany, ofFew] = await alternateAnew(moreStarts(bench), 'P3', start)
  const growth = (what: string, measure: 'p50Ms' | 'cpuMicros', budget?: Finding['budget']): Finding => ({
    what: `${what}, ${nameOfMany} against ${nameOfFew}`,
    value: ratioOf(ofMany, ofFew, measure),
    unit: '×',
    ...(budget && { budget }),
  })
  return {
    findings: [
      growth('p50', 'p50Ms', BUDGET),
      growth('CPU a request', 'cpuMicros'),
      {
        what: `p50 of the list of keys, ${nameOfMany} against ${nameOfFew}`,
        value: await compareLists(bench, pair),
        unit: '×',
      },
    ],
    systems: [rowOf(nameOfMany, ofMany), rowOf(`${on}, ${nameOfFew}`, ofFew)],
  }
}

/** One process of a program differs from the next by up to a twelfth, more than what is measured. */
const moreStarts = (bench: Bench): Bench => ({
  ...bench,
  effort: { ...bench.effort, instances: 2 * bench.effort.instances },
})

async function compareLists(bench: Bench, { many, few }: Pair): Promise<Finding['value']> {
  const stages = [await listStage(many), await listStage(few)] as const
  const [ofMany, ofFew] = await alternate(calmer(bench), 'P3 · list of keys', stages)
  for (const { system } of stages) await system.stop()
  return ratioOf(ofMany, ofFew, 'p50Ms')
}

async function listStage(fleet: Fleet): Promise<Stage> {
  const system = await startPortal('keys', fleet)
  const expected = await expectPage('apiKeys', system, fleet, { query: KEYS, size: LISTED })
  return { name: system.name, system, requests: [rawCall(system.port, fleet.secret, KEYS)], expected }
}
