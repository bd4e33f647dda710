import { createCallLog } from '../../api-keys/calls/call-log.ts'
import { writeCalls } from '../../api-keys/calls/write.ts'
import { createUsageCounter } from '../../api-keys/usage/counter.ts'
import { writeUsage } from '../../api-keys/usage/write.ts'
import type { Deps } from '../../deps.ts'
import type { RecordRequest } from '../../http/access-log.ts'
import { fieldsWithin } from '../../key-access.ts'
import type { ApiCall } from './call.ts'

/** What remains of a call once it is answered: in the usage and the last calls of its key, in the log and the metrics. */
export function createRecord({ database, now, log, usageFlushMs }: Deps, recordRequest: RecordRequest) {
  const calls = createCallLog((entries) => writeCalls(database, entries), log, now)
  const usage = createUsageCounter(
    (uses, options) => writeUsage(database, uses, options),
    log,
    usageFlushMs,
    calls.flush,
  )

  function countUse({ key, address, codes = [], operation, fields, request }: ApiCall, isOverLimit: boolean): void {
    if (!key) return
    const { keyId, rules } = key.caller
    if (isOverLimit) {
      usage.noteRefusal(keyId, now())
      return
    }
    const use = usage.noteCall(keyId, now(), address, request.headers['user-agent'])
    if (codes.includes('FORBIDDEN')) usage.noteForbidden(use)
    if (operation !== undefined) usage.noteOperation(use, operation, fieldsWithin(rules.access, fields ?? []))
    if (key.firstUse && use.calls === 1) void usage.flush() // calls before this write need no write of their own
  }

  return {
    usage,
    record(call: ApiCall, status: number): void {
      const { key, keyId, endpoint, requestId, address: ip, operation, codes = [], request } = call
      const ms = performance.now() - call.startedAt
      const isOverLimit = status === 429
      const isAccepted = key !== undefined && !isOverLimit && !codes.includes('FORBIDDEN')
      countUse(call, isOverLimit)
      if (keyId !== undefined)
        calls.note(keyId, isAccepted, { at: now(), operation, address: ip, status, ms, code: codes[0] })
      recordRequest({ requestId, method: request.method ?? '', route: endpoint, status, ms, ip })
    },
    async close(): Promise<void> {
      await usage.close()
      await calls.flush({ all: true })
    },
  }
}
