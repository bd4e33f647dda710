import { setTimeout as pause } from 'node:timers/promises'
import { HOUR, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Log } from '../../lib/log.ts'
import { storable } from '../../lib/plain-text.ts'
import { TopCounter } from './top-counter.ts'

/**
 * When there are many keys, they are written in parts, spread over half of this time. So a count reaches the database
 * within one and a half times this, and with up to 100 busy keys within this time. A process that is killed loses no
 * more than that.
 */
export const FLUSH_EVERY_MS = 5 * SECOND
const AT_ONCE = 100
/** A call that began before the hour ended gets its operation later, and no call takes longer than this. */
const LONGEST_CALL_MS = 60 * SECOND
const MOST_ON_A_PAGE = 50_000
const MOST_PAGES = 10
const MOST_VALUES = 20
/** More than the schema has: they are all counted. */
const MOST_FIELDS = 500
export const LONGEST_ADDRESS = 64
export const LONGEST_AGENT = 200
export const LONGEST_OPERATION = 80

/** What this process has counted for a key in one hour. */
class KeyUse {
  calls = 0
  errors = 0
  /** The last call that was accepted; 0 if there was none. */
  lastAt = 0
  lastFrom = ''
  lastAgent = ''
  lastOperation: string | null = null
  readonly addresses = new TopCounter(MOST_VALUES)
  readonly agents = new TopCounter(MOST_VALUES)
  readonly operations = new TopCounter(MOST_VALUES)
  readonly fields = new TopCounter(MOST_FIELDS)
  paused: PausedUse | undefined
  isWritten = true
}

/** The calls that were refused because the key was paused. */
interface PausedUse {
  /** When that pause began: an earlier one does not count. */
  since: number
  calls: number
  lastAt: number
  addresses: TopCounter
  agents: TopCounter
}

export type { KeyUse }

/**
 * An hour, or a part of one. No other process writes under its name, so its numbers are written whole, and writing them
 * twice does no harm.
 */
interface Page {
  hour: number
  writer: string
  uses: Map<string, KeyUse>
  /** When the next page was begun, by the clock of the process. */
  endedAt: number
}

/** A row of counts, as it is stored. */
export interface CountedUse {
  keyId: string
  hour: number
  writer: string
  use: KeyUse
}

export interface UsageCounter {
  /** Counts a call. The returned object takes the operation later, by `noteOperation`. */
  noteCall(keyId: string, at: number, from: string, agent: string | undefined): KeyUse
  noteOperation(use: KeyUse, operation: string, fields: readonly string[]): void
  /** A call that was counted as accepted, and asked for something that its key may not do: it was refused. */
  noteForbidden(use: KeyUse): void
  /** Counts a refused call, which does not mark the key as used. */
  noteRefusal(keyId: string, at: number): void
  /** Remembers who was refused since a key was paused, beside `noteRefusal`. */
  noteWhilePaused(keyId: string, at: number, call: { pausedAt: number; from: string; agent: string | undefined }): void
  /** Writes the counts now. */
  flush(): Promise<void>
  /** Flushes for the last time. */
  close(): Promise<void>
}

/** Counts the calls of keys in memory and writes them in batches. It never delays a request and never fails one. */
export function createUsageCounter(
  write: (uses: readonly CountedUse[], options: { moreFollows: boolean }) => Promise<void>,
  log: Log,
  everyMs = FLUSH_EVERY_MS,
  alsoWrite: () => Promise<void> = async () => {},
): UsageCounter {
  let page = newPage(0)
  let full: Page[] = []
  let inProgress: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  let isAwaited = false

  function entryOf(keyId: string, at: number): KeyUse {
    const hour = at - (at % HOUR)
    if (hour !== page.hour || page.uses.size >= MOST_ON_A_PAGE) turnPage(hour)
    let use = page.uses.get(keyId)
    if (!use) {
      use = new KeyUse()
      page.uses.set(keyId, use)
    }
    use.isWritten = false
    return use
  }

  function turnPage(hour: number): void {
    page.endedAt = performance.now()
    if (page.uses.size > 0) full.push(page)
    if (full.length > MOST_PAGES) {
      full.shift()
      log.error('usage of keys is lost: it could not be written for hours')
    }
    page = newPage(hour)
  }

  async function writePages(): Promise<void> {
    const left = [...full, page].flatMap(unwritten)
    const restMs = everyMs / 2 / Math.ceil(left.length / AT_ONCE)
    try {
      for (; left.length > 0; left.splice(0, AT_ONCE)) {
        const batch = left.slice(0, AT_ONCE)
        for (const { use } of batch) use.isWritten = true // unless the key is used again in the meantime
        const moreFollows = left.length > AT_ONCE
        await write(batch, { moreFollows })
        if (moreFollows) await pause(isAwaited ? 0 : restMs) // requests that arrived in the meantime go first
      }
    } catch (error) {
      for (const { use } of left) use.isWritten = false
      log.warn({ err: error }, 'usage of keys could not be written; it will be tried again')
    }
    full = full.filter((each) => unwritten(each).length > 0 || performance.now() - each.endedAt < LONGEST_CALL_MS)
    await alsoWrite()
  }

  /**
   * A flush that waits for the one in progress writes everything counted until it starts, so a third one has nothing to
   * do.
   */
  const flushNext = () => {
    next ??= inProgress.then(() => {
      next = undefined
      inProgress = writePages()
      return inProgress
    })
    return next
  }
  const flush = async () => {
    isAwaited = true
    await flushNext()
    isAwaited = false
  }
  const timer = setInterval(flushNext, everyMs)
  timer.unref()
  return {
    noteCall(keyId, at, from, agent = '') {
      const use = entryOf(keyId, at)
      use.calls++
      use.lastAt = at
      if (from !== use.lastFrom) use.lastFrom = storable(from, LONGEST_ADDRESS) // most calls come from the same address as the one before
      if (agent !== use.lastAgent) use.lastAgent = storable(agent, LONGEST_AGENT)
      use.addresses.add(use.lastFrom)
      use.agents.add(use.lastAgent)
      return use
    },
    noteOperation(use, operation, fields) {
      if (operation !== use.lastOperation) use.lastOperation = storable(operation, LONGEST_OPERATION)
      use.operations.add(use.lastOperation)
      for (const field of fields) use.fields.add(field)
      use.isWritten = false
    },
    noteForbidden(use) {
      use.calls--
      use.errors++
      use.isWritten = false
    },
    noteRefusal(keyId, at) {
      entryOf(keyId, at).errors++
    },
    noteWhilePaused(keyId, at, { pausedAt, from, agent = '' }) {
      const use = entryOf(keyId, at)
      if (use.paused?.since !== pausedAt) use.paused = newPausedUse(pausedAt)
      use.paused.calls++
      use.paused.lastAt = at
      use.paused.addresses.add(storable(from, LONGEST_ADDRESS))
      use.paused.agents.add(storable(agent, LONGEST_AGENT))
    },
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

const newPausedUse = (since: number): PausedUse => ({
  since,
  calls: 0,
  lastAt: 0,
  addresses: new TopCounter(MOST_VALUES),
  agents: new TopCounter(MOST_VALUES),
})

const newPage = (hour: number): Page => ({ hour, writer: newId(hour), uses: new Map(), endedAt: 0 })

/** In the order of their ids, so that two writers do not deadlock. */
const unwritten = ({ hour, writer, uses }: Page): CountedUse[] =>
  [...uses]
    .filter(([, use]) => !use.isWritten)
    .map(([keyId, use]) => ({ keyId, hour, writer, use }))
    .sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
