import type { RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import type { MissingRange } from './comparison.ts'

/** The subject of a hold for which it is not known what is missing: only a person can end it. */
const UNKNOWN = 'unknown'

export const holdSubject = (missing: MissingRange | undefined) =>
  missing ? [missing.incarnation, missing.first, missing.last].join(' ') : UNKNOWN

/** The hold that is in force by the rows of the database; undefined: none. */
export async function currentHold(db: Db): Promise<RevocationTable | undefined> {
  const { pending } = await allHolds(db)
  for (const hold of pending) if (!(await hasAll(db, hold.subject))) return hold
  return undefined
}

/** Whether the operator has decided about these revocations before, without knowing them: it is not asked twice. */
export async function wasDecided(db: Db, gap: MissingRange): Promise<boolean> {
  const { decided } = await allHolds(db)
  return decided.some(({ subject, sequence }) => {
    if (subject === UNKNOWN) return gap.last <= sequence
    const { incarnation, first, last } = rangeIn(subject)
    return incarnation === gap.incarnation && first <= gap.first && gap.last <= last
  })
}

/** A decision is about every hold before it. */
async function allHolds(db: Db): Promise<Record<'decided' | 'pending', RevocationTable[]>> {
  const rows = await db
    .selectFrom('revocation')
    .selectAll()
    .where('kind', 'in', ['HELD', 'RELEASED'])
    .orderBy('sequence')
    .execute()
  const decision = rows.findLastIndex(({ kind }) => kind === 'RELEASED')
  const isHold = ({ kind }: RevocationTable) => kind === 'HELD'
  return { decided: rows.slice(0, decision + 1).filter(isHold), pending: rows.slice(decision + 1) }
}

function rangeIn(subject: string): MissingRange {
  const [incarnation = 0, first = 0, last = 0] = subject.split(' ').map(Number)
  return { incarnation, first, last }
}

/** Whether the revocations that a hold waits for are there by now. */
async function hasAll(db: Db, subject: string): Promise<boolean> {
  if (subject === UNKNOWN) return false
  const { incarnation, first, last } = rangeIn(subject)
  const { found } = await db
    .selectFrom('revocation')
    .select(({ fn }) => fn.count<number>('sequence').distinct().as('found'))
    .where('incarnation', '=', incarnation)
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .executeTakeFirstOrThrow()
  return Number(found) === last - first + 1
}
