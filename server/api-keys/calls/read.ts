import type { Ctx } from '../../ctx.ts'
import type { ApiKeyCallLogTable } from '../../db/api-key-tables.ts'
import { DAY } from '../../lib/clock.ts'
import { type Call, MOST_CALLS } from './call.ts'
import { callsIn } from './lines.ts'

export const CALLS_STORED_MS = DAY
/** Of processes, those that wrote last: more than start in a day. */
const MOST_WRITERS = 100

/** One that is listed. */
export interface ListedCall extends Call {
  id: string
}

/** The last calls of a key, the newest first. */
export interface RecentCalls {
  accepted: ListedCall[]
  refused: ListedCall[]
}

/** The calls of the last 24 hours that all processes have answered, also of a key that is gone. */
export async function recentCalls({ db, now }: Ctx, keyId: string): Promise<RecentCalls> {
  const rows = await db
    .selectFrom('apiKeyCallLog')
    .select(['writer', 'accepted', 'refused'])
    .where('keyId', '=', keyId)
    .orderBy('updatedAt', 'desc')
    .limit(MOST_WRITERS)
    .execute()
  const since = now() - CALLS_STORED_MS
  return { accepted: merged(rows, 'accepted', since), refused: merged(rows, 'refused', since) }
}

type Row = Pick<ApiKeyCallLogTable, 'writer' | 'accepted' | 'refused'>

function merged(rows: readonly Row[], column: 'accepted' | 'refused', since: number): ListedCall[] {
  const calls = rows.flatMap((row) => {
    const byNumber = new Map(
      callsIn(row[column]).map(({ call }) => [call.number, { ...call, id: `${row.writer}-${call.number}` }]),
    ) // one may be there twice
    return [...byNumber.values()].filter(({ at }) => at > since)
  })
  return calls.sort((a, b) => b.at - a.at || b.number - a.number).slice(0, MOST_CALLS)
}
