import type { RevocationTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import type { MissingRange } from './comparison.ts'

/** The subject of a hold for which it is not known what is missing: only a person can end it. */
const UNKNOWN = 'unknown'

/** What a hold waits for, as the subject of its row. */
export const holdSubject = (missing: MissingRange | undefined) =>
  missing ? [missing.incarnation, missing.first, missing.last].join(' ') : UNKNOWN

/** The hold that is in force by the rows of the database; undefined: none. */
export async function currentHold(db: Db): Promise<RevocationTable | undefined> {
  const rows = await db
    .selectFrom('revocation')
    .selectAll()
    .where('kind', 'in', ['HELD', 'RELEASED'])
    .orderBy('sequence')
    .execute()
  const pending = rows.slice(rows.findLastIndex(({ kind }) => kind === 'RELEASED') + 1)
  for (const hold of pending) if (!(await hasAll(db, hold.subject))) return hold
  return undefined
}

/** Whether the revocations that a hold waits for are there by now. */
async function hasAll(db: Db, subject: string): Promise<boolean> {
  if (subject === UNKNOWN) return false
  const [incarnation = 0, first = 0, last = 0] = subject.split(' ').map(Number)
  const { found } = await db
    .selectFrom('revocation')
    .select(({ fn }) => fn.count<number>('sequence').distinct().as('found'))
    .where('incarnation', '=', incarnation)
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .executeTakeFirstOrThrow()
  return Number(found) === last - first + 1
}
