import type { Log } from '../lib/log.ts'
import { createOnceASecond } from '../lib/once-a-second.ts'
import type { Answered, NoteAnswer } from './answered.ts'

/** One line for each request: what is refused at `info`, what fails at `error`, all others at `debug`. */
export function createRequestLog(log: Log, now?: () => number): NoteAnswer {
  const others = createOnceASecond(now)
  return (answered) => {
    const kind = seldomTold(answered)
    const since = kind === undefined ? 0 : others(kind)
    const level = since === undefined ? 'debug' : levelOf(answered)
    if (!log.isLevelEnabled(level)) return
    const ms = Math.round(answered.ms * 10) / 10
    log[level]({ ...answered, ms, ...(since && { others: since }) }, 'request')
  }
}

function levelOf({ status }: Answered): 'debug' | 'info' | 'error' {
  if (status >= 500) return 'error'
  return status >= 400 ? 'info' : 'debug'
}

/** Somebody without a good key or session, told of by where they come from; or an outage, which is the same for everybody. */
function seldomTold({ status, ip }: Answered): string | undefined {
  if (status === 503) return 'unavailable'
  return status === 401 || status === 429 ? ip : undefined
}
