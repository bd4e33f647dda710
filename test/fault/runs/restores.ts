import { installedPostgres } from '../../support/postgres/installed-postgres.ts'
import { createDumps } from '../dumps.ts'
import { type GoingBack, goBack } from '../going-back.ts'
import { describeViolation, type Effort, type Figure, firstOf, type Run } from '../report.ts'
import { copiedFolder, logicalCopy, oldPrimary, pointInTime } from '../restores.ts'

type Ways = Record<string, Omit<GoingBack, 'seed' | 'revokesLost'>>

const OLD_PRIMARY = 'an old primary that goes on answering'

const WAYS: Ways = {
  'data folder copied back': { backUp: copiedFolder },
  'recovery to a point in time': { backUp: pointInTime },
  [OLD_PRIMARY]: { backUp: oldPrimary },
  'a replica lost with its ledger, and a restore': { backUp: pointInTime, ledgers: 'own' },
  'kill -9 of replicas in the middle of revokes, and a restore': { backUp: pointInTime, kills: 6 },
  'a role that may not ask which server it is': { backUp: pointInTime, isUnprivileged: true },
}

/** As `pg_restore` does it, where there is none. */
const IMITATED: Ways = { 'rows restored under the running portal': { backUp: logicalCopy } }

/** By a server that has a `pg_dump` of its version. */
function dumpWays(binaries: string): Ways {
  const { restoredBy, restoredInParts, restoredElsewhere } = createDumps(binaries)
  return {
    'pg_restore in one transaction': { backUp: restoredBy('--single-transaction'), binaries },
    'pg_restore, one table after the other': { backUp: restoredBy(), binaries },
    'pg_restore, the revocations long before the keys': { backUp: restoredInParts, binaries },
    'pg_restore into a new server': { backUp: restoredElsewhere, binaries },
  }
}

function waysFor(effort: Effort): { ways: Ways; leftOut: string[] } {
  if (effort === 'tiny') return { ways: { [OLD_PRIMARY]: { backUp: oldPrimary } }, leftOut: [] }
  const binaries = installedPostgres()
  return binaries
    ? { ways: { ...WAYS, ...dumpWays(binaries) }, leftOut: [] }
    : { ways: { ...WAYS, ...IMITATED }, leftOut: ['pg_restore: no PostgreSQL 15 or later with pg_dump is installed'] }
}

const TIMES: Record<Effort, number> = { full: 3, quick: 1, tiny: 1 }
const REVOKES_LOST: Record<Effort, number> = { full: 100, quick: 10, tiny: 5 }
/** The first, one for the restore, and some for revokes that were under way meanwhile. */
const MOST_INCARNATIONS = 6

/**
 * Whatever brings the past back: with one ledger that all replicas reach, no key does whose revoke was answered; with
 * a ledger for each, none whose revoke all have copied.
 */
export const restores: Run = async ({ effort, seed, say }) => {
  const figures: Figure[] = []
  const faults: Record<string, number> = {}
  const answers: Record<string, number> = {}
  const wrong: string[] = []
  const { ways, leftOut } = waysFor(effort)
  for (const [name, way] of Object.entries(ways))
    for (let time = 0; time < TIMES[effort]; time++) {
      const result = await goBack({ ...way, seed: seed + time, revokesLost: REVOKES_LOST[effort] })
      say(`${name}: lost ${result.lost}, late ${result.late.length}, answered again after ${result.outageMs} ms`)
      figures.push(...figuresOf(name, result))
      faults[name] = (faults[name] ?? 0) + 1
      for (const [words, count] of result.answers) answers[words] = (answers[words] ?? 0) + count
      const violations = result.late.map(describeViolation)
      wrong.push(...firstOf([...violations, ...result.wrong]).map((words) => `${name}: ${words}`))
    }
  return { figures, faults, answers, wrong, leftOut }
}

function figuresOf(name: string, result: Awaited<ReturnType<typeof goBack>>): Figure[] {
  const { late, revokes, lost, copiedMs, outageMs, incarnations } = result
  return [
    { what: `${name}: revokes`, value: revokes },
    { what: `${name}: revokes that the backup does not have`, value: lost, wants: { atLeast: 1 } },
    { what: `${name}: calls accepted after their revoke`, value: late.length, wants: { atMost: 0 } },
    copiedMs > 0
      ? { what: `${name}: until all revokes are copied, ms`, value: copiedMs }
      : { what: `${name}: until calls are answered again, ms`, value: outageMs },
    { what: `${name}: incarnations`, value: incarnations, wants: { atMost: MOST_INCARNATIONS } },
  ]
}
