import type { Caller } from '../ctx.ts'
import type { Log } from '../lib/log.ts'
import { createOnceASecond } from '../lib/once-a-second.ts'

const LONGEST_TITLE = 80

/** What was refused inside an answer: the answer itself is one of HTTP 200. */
export interface Refused {
  codes: readonly string[]
  requestId: string
  caller: Caller
  /** The operation as people know it; undefined: there is none that could be run. */
  operation: string | undefined
}

export type NoteRefused = (refused: Refused) => void

/** One line at `info`, at most once a second for one caller, with how many others there were. No input of the caller is in it. */
export function createRefusalLog(log: Log, now?: () => number): NoteRefused {
  const seldom = createOnceASecond(now)
  return ({ codes, requestId, caller, operation }) => {
    const who = whoIs(caller)
    const others = seldom(Object.values(who).join())
    const level = others === undefined ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const title = operation?.slice(0, LONGEST_TITLE)
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
