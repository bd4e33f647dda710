import { type GoingBack, goBack } from '../going-back.ts'
import { describeViolation, type Effort, type Figure, firstOf, type Run } from '../report.ts'
import { copiedFolder, logicalCopy, oldPrimary, pointInTime } from '../restores.ts'

const WAYS = {
  'rows restored under the running portal': { backUp: logicalCopy },
  'data folder copied back': { backUp: copiedFolder },
  'recovery to a point in time': { backUp: pointInTime },
  'an old primary that goes on answering': { backUp: oldPrimary },
  'a replica lost with its ledger, and a restore': { backUp: pointInTime, ledgers: 'own' },
  'kill -9 of replicas in the middle of revokes, and a restore': { backUp: pointInTime, kills: 6 },
  'a role that may not ask which server it is': { backUp: pointInTime, isUnprivileged: true },
} satisfies Record<string, Omit<GoingBack, 'seed' | 'revokesLost'>>

type Way = keyof typeof WAYS

const ALL = Object.keys(WAYS) as Way[] // `keys` forgets the names
const CHOSEN: Record<Effort, Way[]> = { full: ALL, quick: ALL, tiny: ['an old primary that goes on answering'] }
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
  for (const name of CHOSEN[effort])
    for (let time = 0; time < TIMES[effort]; time++) {
      const result = await goBack({ ...WAYS[name], seed: seed + time, revokesLost: REVOKES_LOST[effort] })
      say(`${name}: lost ${result.lost}, late ${result.late.length}, answered again after ${result.outageMs} ms`)
      figures.push(...figuresOf(name, result))
      faults[name] = (faults[name] ?? 0) + 1
      for (const [words, count] of result.answers) answers[words] = (answers[words] ?? 0) + count
      const violations = result.late.map(describeViolation)
      wrong.push(...firstOf([...violations, ...result.wrong]).map((words) => `${name}: ${words}`))
    }
  return { figures, faults, answers, wrong }
}

function figuresOf(name: Way, result: Awaited<ReturnType<typeof goBack>>): Figure[] {
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
