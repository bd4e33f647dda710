import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Log } from '../../lib/log.ts'
import { type Call, linesOf, MAX_CALLS, type NumberedCall } from './call-lines.ts'

/** Serializing and writing the calls of this many keys takes a millisecond or two. */
const KEYS_AT_ONCE = 25
/** Written in one flush; the others wait for the next one, so that a thousand busy keys cost no more than a hundred. */
const KEYS_OF_A_FLUSH = 100
/** Calls of all keys in memory: about 10 MB. Beyond that only keys that have some get new ones, for older ones. */
const MAX_WAITING = 50_000
const REST_MS = 10

/** The last calls since they were last written, as many as are stored. */
interface Waiting {
  accepted: NumberedCall[]
  refused: NumberedCall[]
}

export interface CallLogEntry {
  keyId: string
  writer: string
  accepted: string
  refused: string
  since: number
}

export interface CallLog {
  note(keyId: string, isAccepted: boolean, call: Call): void
  flush(options?: { all?: boolean }): Promise<void>
}

/** Collects the last calls of each key in memory until they are written. It never delays a request and never fails one. */
export function createCallLog(
  write: (entries: readonly CallLogEntry[]) => Promise<void>,
  log: Log,
  now: Clock,
): CallLog {
  const writer = newId(now())
  const waiting = new Map<string, Waiting>()
  let calls = 0
  let numbers = 0

  function note(keyId: string, isAccepted: boolean, { at, operation, address, status, ms, code }: Call): void {
    let ofKey = waiting.get(keyId)
    if (!ofKey) {
      if (calls >= MAX_WAITING) return
      ofKey = { accepted: [], refused: [] }
      waiting.set(keyId, ofKey)
    }
    const last = isAccepted ? ofKey.accepted : ofKey.refused
    const most = calls < MAX_WAITING ? MAX_CALLS : Math.max(1, last.length)
    last.push({ number: ++numbers, at, operation, address, status, ms, code })
    if (last.length > most) last.shift()
    else calls++
  }

  function take(): CallLogEntry[] {
    const taken: CallLogEntry[] = []
    for (const [keyId, { accepted, refused }] of waiting) {
      if (taken.length === KEYS_AT_ONCE) break
      const since = Math.min(...[...accepted, ...refused].map(({ at }) => at))
      taken.push({ keyId, writer, accepted: linesOf(accepted), refused: linesOf(refused), since })
      waiting.delete(keyId)
      calls -= accepted.length + refused.length
    }
    return taken.sort((a, b) => (a.keyId < b.keyId ? -1 : 1)) // so that two transactions do not deadlock
  }

  /** What could not be written, in order; it is bounded by being given up when the next write fails too. */
  let failed: CallLogEntry[] = []

  return {
    note,
    async flush({ all = false } = {}) {
      const most = all ? Number.POSITIVE_INFINITY : KEYS_OF_A_FLUSH
      for (let keys = 0; keys < most && (failed.length > 0 || waiting.size > 0); keys += KEYS_AT_ONCE) {
        const entries = failed.length > 0 ? failed : take()
        const isRetry = failed.length > 0
        failed = []
        try {
          await write(entries)
        } catch (error) {
          if (!isRetry) failed = entries
          log.warn(
            { err: error },
            `the last calls of keys could not be written${isRetry ? '' : '; it will be tried again'}`,
          )
          return
        }
        if (waiting.size > 0) await pause(all ? 0 : REST_MS) // requests that arrived in the meantime go first
      }
    },
  }
}
