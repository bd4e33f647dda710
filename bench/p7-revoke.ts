import { createKeyHolder, type KeyHolder, type KeyLife } from './support/key-holder.ts'
import type { Bench, Finding, Question } from './support/question.ts'
import { type Measure, measure, rowOf, type Stage } from './support/rounds.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { startStage } from './support/stage.ts'
import { quantile, summarize } from './support/statistics.ts'
import { undisturbed } from './support/stolen-time.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const FEW_KEYS = { keys: 10 } // an organization has a limit, and more are generated
const MOST_ROUNDS = 200

interface Subject {
  stage: Stage
  holder: KeyHolder
  lives: KeyLife[]
  measures: Measure[]
}

/** How long an Admin waits for a revoke while the portal is as busy as it can be. */
export const revoke: Question = {
  id: 'P7',
  asks: 'keys generated and revoked one after the other under the load of P1; the next call with each is refused',
  answer: (bench) =>
    withPostgresFleet(FEW_KEYS, async (onPostgres, absent) => {
      const subjects = [await subjectOn('SQLite', await seedFleet(FEW_KEYS, bench.progress))]
      if (onPostgres) subjects.push(await subjectOn('PostgreSQL', onPostgres))
      for (const { stage } of subjects) await measure(stage, bench.generator, bench.effort.warmUpMs)
      for (let round = 1; round <= MOST_ROUNDS && subjects.some(isShort(bench)); round++) {
        for (const subject of subjects) {
          bench.progress.say(`P7 · round ${round} · ${subject.stage.name}, ${subject.lives.length} revoked`)
          const { measured, lives } = await undisturbed(() => revokeUnderLoad(bench, subject))
          subject.measures.push(measured)
          subject.lives.push(...lives)
        }
      }
      for (const { stage, holder } of subjects) {
        holder.close()
        await stage.system.stop()
      }
      return {
        findings: subjects.flatMap(findingsOf),
        systems: subjects.map(({ stage, measures }) => rowOf(`${stage.name}, meanwhile`, measures)),
        absent,
      }
    }),
}

const isShort =
  ({ effort }: Bench) =>
  ({ lives }: Subject) =>
    lives.length < effort.revokes

async function subjectOn(name: string, fleet: Fleet): Promise<Subject> {
  const settings = { ...fleet.settings, RATE_LIMIT: 'off' } // with limits, calls with revoked keys would be 429 after a while
  const stage = await startStage(name, { ...fleet, settings }, [fleet.secret])
  return { stage, holder: createKeyHolder(stage.system.port, fleet.secret), lives: [], measures: [] }
}

/** For one round: revokes that start when the load ends do not count. */
async function revokeUnderLoad({ generator, effort }: Bench, { stage, holder }: Subject) {
  const lives: KeyLife[] = []
  let busy = true
  const load = measure(stage, generator, effort.roundMs).finally(() => {
    busy = false
  })
  const revokes = async () => {
    while (busy) {
      const life = await holder.generateAndRevoke()
      if (busy) lives.push(life)
    }
  }
  const [measured] = await Promise.all([load, revokes()])
  return { measured, lives }
}

function findingsOf({ stage: { name }, lives }: Subject): Finding[] {
  const revokes = lives.map(({ revokeMs }) => revokeMs)
  const calls = lives.map(({ callMs }) => callMs)
  return [
    { what: `${name}, p99 of ${lives.length} revokes`, value: p99Of(revokes), unit: 'ms', budget: { atMost: 50 } },
    { what: `${name}, p50 of them`, value: summarize(revokes), unit: 'ms' },
    { what: `${name}, p99 of plain calls beside them, to compare`, value: p99Of(calls), unit: 'ms' },
  ]
}

function p99Of(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b)
  return summarize([quantile(sorted, 0.99)])
}
