import { setTimeout as pause } from 'node:timers/promises'
import { seed as makeOrganizations } from './cluster.ts'
import type { Operation, Violation } from './history.ts'
import { between, createRandom, oneOf, type Random } from './random.ts'
import { type Restore, violationsOverRestores } from './restored-history.ts'
import { type SignedIn, signUp } from './session.ts'
import { type Backup, createSqlitePortal, type SqlitePortal } from './sqlite-portal.ts'
import { startUsing, type UsedKeys } from './used-keys.ts'

const KEYS_EACH = 40
/** The most that are revoked in a round, with those that are cut off, and one by the command line. */
const MOST_ENDED_IN_A_ROUND = 21
const ENDED_BETWEEN: [number, number] = [4, 10]
const KILLED_AFTER_MS: [number, number] = [0, 60]

/** How a copy comes back. */
export type Way = 'copied back after SIGTERM' | 'copied back after kill -9' | 'restored under the running portal'
const WAYS: readonly Way[] = ['copied back after SIGTERM', 'copied back after kill -9', 'copied back after kill -9']

interface Options {
  seed: number
  /** What is run, in turns. */
  programs: readonly (readonly string[])[]
  rounds: number
  ways?: readonly Way[]
  withCommands?: boolean
  /** After each round. */
  onRound?: (seen: Rounds) => void
  /** Ends with the first violation. */
  untilFound?: boolean
}

/** What was seen. */
export interface Rounds {
  restores: Restore[]
  byWay: Record<string, number>
  /** How often keys were held, because a revocation without an answer was missing. */
  held: number
  keys: UsedKeys
  violations: Violation[]
  troubles: string[]
}

/** Keys in use that end one after the other, while the database is backed up and copied back, round by round. */
export async function copyBackAndForth(options: Options): Promise<Rounds> {
  const { seed, programs, rounds, ways = WAYS, withCommands = true, onRound, untilFound = false } = options
  const random = createRandom(seed)
  const program = (round: number) => programs[round % programs.length] ?? []
  const portal = createSqlitePortal(program(0))
  try {
    const count = Math.ceil((MOST_ENDED_IN_A_ROUND * rounds) / KEYS_EACH)
    const organizations = await makeOrganizations({ DATA_DIR: portal.folder }, count)
    await portal.start()
    const keys = await startUsing({ portal, organizations, keysEach: KEYS_EACH, random })
    const seen: Rounds = { restores: [], byWay: {}, held: 0, keys, violations: [], troubles: [] }
    const person = await signUp(portal)
    const backups = [portal.backUp()]
    for (let round = 1; round <= rounds; round++) {
      const command = withCommands ? keys.endOneByCommand() : Promise.resolve()
      await Promise.all([keys.end(between(random, ...ENDED_BETWEEN)), backUpMeanwhile(portal, backups, random)])
      const way = oneOf(random, ways)
      void keys.end(between(random, ...ENDED_BETWEEN)) // some of them are cut off
      const back = await goBack({ portal, backups, random, command, next: program(round) }, way)
      seen.restores.push(back)
      seen.byWay[way] = (seen.byWay[way] ?? 0) + 1
      await command
      if (!(await keys.lookAtAll())) await putBack({ portal, backups, way }, keys, seen)
      seen.troubles.push(...(await sessionTroubles(person, back, keys.record.history)))
      seen.violations = violationsOverRestores(keys.record.history, seen.restores)
      onRound?.(seen)
      if (untilFound && seen.violations.length > 0) break
    }
    await keys.stop()
    seen.violations = violationsOverRestores(keys.record.history, seen.restores)
    seen.troubles.push(...portal.troubles())
    return seen
  } finally {
    await portal.remove()
  }
}

async function backUpMeanwhile(portal: SqlitePortal, backups: Backup[], random: Random): Promise<void> {
  await pause(between(random, 0, 100))
  backups.push(portal.backUp())
}

/**
 * Keys are held: two processes were about to write the ledger, and one was killed that had committed first. Nobody has
 * its revocation but the file that was put aside.
 */
async function putBack(
  { portal, backups, way }: { portal: SqlitePortal; backups: Backup[]; way: Way },
  keys: UsedKeys,
  seen: Rounds,
): Promise<void> {
  const aside = backups.at(-1)
  if (!aside || way !== 'copied back after kill -9') throw new Error(`Keys are held, ${way}.`)
  await portal.stop()
  const start = performance.now()
  portal.copyBack(aside)
  seen.restores.push({ start, end: performance.now() })
  await portal.start()
  if (!(await keys.lookAtAll())) throw new Error('Keys are held, although no revocation is missing.')
  seen.held++
}

/** Whoever was signed in before is signed out, if anything has ended since the backup; then they sign in again. */
async function sessionTroubles(
  person: SignedIn,
  { from, start }: Back,
  history: readonly Operation[],
): Promise<string[]> {
  const hasEnded = history.some(
    (each) => each.kind === 'revoke' && each.answer === 'accepted' && each.start > from.end && each.end < start,
  )
  const isAccepted = hasEnded && (await person.isAccepted())
  await person.signIn()
  return isAccepted ? ['a session from before the restore is accepted'] : []
}

interface Back extends Restore {
  from: Backup
}

interface Stand {
  portal: SqlitePortal
  backups: Backup[]
  random: Random
  /** Uses the file beside the portal. */
  command: Promise<void>
  next: readonly string[]
}

async function goBack({ portal, backups, random, command, next }: Stand, way: Way): Promise<Back> {
  await pause(between(random, ...KILLED_AFTER_MS))
  const from = oneOf(random, backups)
  if (way === 'restored under the running portal') {
    const start = performance.now()
    await portal.copyInto(from)
    return { from, start, end: performance.now() }
  }
  await (way === 'copied back after SIGTERM' ? portal.stop() : portal.kill())
  await command
  backups.push(portal.backUp()) // what is put aside may be put back
  const start = performance.now()
  portal.copyBack(from)
  const end = performance.now()
  portal.use(next)
  await portal.start()
  return { from, start, end }
}
