import { createUsageCounter } from '../../../server/api-keys/usage/counter.ts'
import { writeUsage } from '../../../server/api-keys/usage/write-usage.ts'
import type { Database } from '../../../server/db/database.ts'
import { createLog } from '../../../server/lib/log.ts'

/** Counts one call with each of the keys, as a process does, and writes it down. */
export async function countCalls(
  database: Database,
  keyIds: string[],
  {
    at,
    from = '10.0.0.1',
    agent = 'curl/8',
    fields = ['devices'],
  }: { at: number; from?: string; agent?: string; fields?: string[] },
): Promise<void> {
  const complaints: string[] = []
  const log = createLog('warn', { write: (line: string) => complaints.push(line) })
  const usage = createUsageCounter((uses, options) => writeUsage(database, uses, options), log)
  for (const id of keyIds) usage.noteCall(id, { at, from, agent, operation: fields.join(', '), fields })
  await usage.close()
  if (complaints.length > 0) throw new Error(complaints.join(''))
}
