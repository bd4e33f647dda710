import type { Ctx } from '../../caller/ctx.ts'
import type { ApiKeyCallLogTable } from '../../db/api-key-tables.ts'
import { DAY } from '../../lib/clock.ts'
import { type Call, callsIn, MAX_CALLS } from './call-lines.ts'

export const CALLS_STORED_MS = DAY
/** The processes that wrote last: more than start in a day. */
const MAX_WRITERS = 100

export interface ListedCall extends Call {
  id: string
}

export interface RecentCalls {
  accepted: ListedCall[]
  refused: ListedCall[]
}

/** The calls of the last 24 hours that all processes have answered, also of a key that is gone. */
export async function recentCalls({ reads, now }: Ctx, keyId: string): Promise<RecentCalls> {
  const rows = await reads
    .selectFrom('apiKeyCallLog')
    .select(['writer', 'accepted', 'refused'])
    .where('keyId', '=', keyId)
    .orderBy('updatedAt', 'desc')
    .limit(MAX_WRITERS)
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
  return calls.sort((a, b) => b.at - a.at || b.number - a.number).slice(0, MAX_CALLS)
}
