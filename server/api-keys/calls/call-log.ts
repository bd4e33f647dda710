import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Log } from '../../lib/log.ts'
import { type Call, MOST_CALLS, type NumberedCall } from './call.ts'
import { linesOf } from './lines.ts'

/** Serializing and writing the calls of this many keys takes a millisecond or two. */
const KEYS_AT_ONCE = 25
/** Written in one flush; the others wait for the next one, so that a thousand busy keys cost no more than a hundred. */
const KEYS_OF_A_FLUSH = 100
/** Calls of all keys in memory: about 10 MB. Beyond that only keys that have some get new ones, for older ones. */
const MOST_WAITING = 50_000
const REST_MS = 10

/** The last calls since they were last written; the oldest is replaced when there are as many as are stored. */
class Ring {
  readonly calls: NumberedCall[] = []
  #next = 0

  /** Returns whether there is one more than before. */
  add(call: NumberedCall, most: number): boolean {
    if (this.calls.length < most) {
      this.calls.push(call)
      return true
    }
    this.calls[this.#next] = call
    this.#next = (this.#next + 1) % this.calls.length
    return false
  }
}

interface Waiting {
  accepted: Ring
  refused: Ring
}

/** What one process adds to the log of a key. */
export interface CallLogEntry {
  keyId: string
  writer: string
  accepted: string
  refused: string
  since: number
}

export interface CallLog {
  note(keyId: string, isAccepted: boolean, call: Call): void
  /** Writes the calls of some keys, or of all of them. */
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
      if (calls >= MOST_WAITING) return
      ofKey = { accepted: new Ring(), refused: new Ring() }
      waiting.set(keyId, ofKey)
    }
    const ring = isAccepted ? ofKey.accepted : ofKey.refused
    const most = calls < MOST_WAITING ? MOST_CALLS : Math.max(1, ring.calls.length)
    if (ring.add({ number: ++numbers, at, operation, address, status, ms, code }, most)) calls++
  }

  /** Takes the keys that have waited longest. */
  function take(): CallLogEntry[] {
    const taken: CallLogEntry[] = []
    for (const [keyId, { accepted, refused }] of waiting) {
      if (taken.length === KEYS_AT_ONCE) break
      const since = Math.min(...[...accepted.calls, ...refused.calls].map(({ at }) => at))
      taken.push({ keyId, writer, accepted: linesOf(accepted.calls), refused: linesOf(refused.calls), since })
      waiting.delete(keyId)
      calls -= accepted.calls.length + refused.calls.length
    }
    return taken.sort((a, b) => (a.keyId < b.keyId ? -1 : 1)) // so that two transactions do not deadlock
  }

  /** Of what could not be written, in order; it is bounded by being given up when the next write fails too. */
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
        if (waiting.size > 0) await pause(REST_MS) // requests that arrived in the meantime go first
      }
    },
  }
}
