import type { Caller } from '../caller/ctx.ts'
import type { Log } from '../lib/log.ts'
import { createLogSampler } from '../lib/log-sampler.ts'

const MAX_TITLE_LENGTH = 80

/** Errors inside a response whose HTTP status is 200. */
export interface RefusedOperation {
  codes: readonly string[]
  requestId: string
  caller: Caller
  /** The address of the client. */
  address: string
  /** The operation as people know it; undefined: there is none that could be run. */
  operation: string | undefined
}

export type RecordRefusedOperation = (refused: RefusedOperation) => void

/** One line at `info`, at most once a second for each caller, with the number of others. It contains no input of the caller. */
export function createRefusalLog(log: Log, now?: () => number): RecordRefusedOperation {
  const seldom = createLogSampler(now)
  return ({ codes, requestId, caller, operation }) => {
    const who = whoIs(caller)
    const others = seldom(Object.values(who).join())
    const level = others === undefined ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const title = operation?.slice(0, MAX_TITLE_LENGTH)
    log[level](
      { requestId, codes: [...new Set(codes)], ...who, operation: title, ...(others && { others }) },
      'refused',
    )
  }
}

function whoIs(caller: Caller): Record<string, string> {
  switch (caller.kind) {
    case 'API_KEY':
      return { keyId: caller.keyId }
    case 'USER':
      return { userId: caller.userId }
    case 'SYSTEM':
      return {}
  }
}
