import { type Answer, type Bench, calmer, type Finding, type Question } from './support/question.ts'
import { alternateAnew, ratioOf, rowOf } from './support/rounds.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { startStage } from './support/stage.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const BUSY = 10_000
const FEW = 100 // more than there are connections: calls of one key would share what they look up
const SIZE = { keys: BUSY, keysOfAnOrganization: BUSY }

/** Whether counting for many busy keys slows a call down: their counts are written every five seconds. */
export const busyKeys: Question = {
  id: 'busy-keys',
  asks: 'the call of P1 by ten thousand keys in turn against by a hundred, on the same database',
  isLong: true,
  async answer(bench) {
    const onSqlite = await compare(bench, 'SQLite', await seedFleet(SIZE, bench.progress))
    const onPostgres = await withPostgresFleet(
      SIZE,
      async (fleet, absent): Promise<Answer> =>
        fleet ? compare(bench, 'PostgreSQL', fleet) : { findings: [], systems: [], absent },
      bench.progress,
    )
    return {
      findings: [...onSqlite.findings, ...onPostgres.findings],
      systems: [...onSqlite.systems, ...onPostgres.systems],
      absent: onPostgres.absent ?? [],
    }
  },
}

async function compare(bench: Bench, on: string, fleet: Fleet): Promise<Answer> {
  const [nameOfMany, nameOfFew] = [`${on}, ${BUSY.toLocaleString('en')} busy keys`, `${on}, ${FEW} busy keys`]
  const start = async () =>
    [await startStage(nameOfMany, fleet), await startStage(nameOfFew, fleet, fleet.secrets.slice(0, FEW))] as const
  const [ofMany, ofFew] = await alternateAnew(calmer(bench), 'busy-keys', start)
  const ratio = (what: string, measure: 'p50Ms' | 'p99Ms' | 'cpuMicros'): Finding => ({
    what: `${what}, ${nameOfMany} against ${FEW}`,
    value: ratioOf(ofMany, ofFew, measure),
    unit: '×',
  })
  return {
    findings: [ratio('p50', 'p50Ms'), ratio('p99', 'p99Ms'), ratio('CPU a request', 'cpuMicros')],
    systems: [rowOf(nameOfMany, ofMany), rowOf(nameOfFew, ofFew)],
  }
}
