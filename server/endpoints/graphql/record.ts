import { createCallLog } from '../../api-keys/calls/call-log.ts'
import { writeCalls } from '../../api-keys/calls/write-calls.ts'
import { createUsageCounter } from '../../api-keys/usage/counter.ts'
import { writeUsage } from '../../api-keys/usage/write-usage.ts'
import type { Deps } from '../../caller/deps.ts'
import { fieldsWithin } from '../../caller/key-rules.ts'
import type { RecordRequest } from '../../http/access-log.ts'
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

  return {
    usage,
    record(call: ApiCall, status: number): void {
      const { key, keyId, endpoint, requestId, address, operation, fields = [], codes = [], request } = call
      const [at, ms] = [now(), performance.now() - call.startedAt]
      const isForbidden = codes.includes('FORBIDDEN')
      const isOverLimit = status === 429
      if (key && isOverLimit) usage.noteRefusedCall(key.caller.keyId, at)
      else if (key) {
        const agent = request.headers['user-agent']
        const used = fieldsWithin(key.caller.rules.access, fields)
        const count = usage.noteCall(key.caller.keyId, {
          at,
          from: address,
          agent,
          operation,
          fields: used,
          isForbidden,
        })
        if (key.firstUse && count === 1) void usage.flush() // calls before this write need no write of their own
      }
      const isAccepted = key !== undefined && !isOverLimit && !isForbidden
      if (keyId !== undefined) calls.note(keyId, isAccepted, { at, operation, address, status, ms, code: codes[0] })
      recordRequest({ requestId, method: request.method ?? '', route: endpoint, status, ms, ip: address })
    },
    async close(): Promise<void> {
      await usage.close()
      await calls.flush({ all: true })
    },
  }
}
