import { setTimeout as pause } from 'node:timers/promises'
import { HOUR, SECOND } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Log } from '../../lib/log.ts'
import { storable } from '../../lib/plain-text.ts'

/** Many keys are written in parts over half of this time: a count is stored within one and a half times this, or lost by a kill. */
export const FLUSH_EVERY_MS = 5 * SECOND
const AT_ONCE = 100
const MAX_ON_A_PAGE = 50_000
const MAX_PAGES = 10
const MAX_VALUES = 20
/** More than the schema has: they are all counted. */
const MAX_FIELDS = 500
export const MAX_ADDRESS_LENGTH = 64
export const MAX_USER_AGENT_LENGTH = 200
export const MAX_OPERATION_LENGTH = 80

/** Counts how often each of the first `most` values occurs; all other values are counted under null. */
class TopCounter {
  readonly #counts = new Map<string, number>()
  readonly #most: number
  #others = 0

  constructor(most: number) {
    this.#most = most
  }

  add(value: string): void {
    const known = this.#counts.get(value)
    if (known !== undefined) this.#counts.set(value, known + 1)
    else if (this.#counts.size < this.#most) this.#counts.set(value, 1)
    else this.#others++
  }

  toJSON(): [value: string | null, count: number][] {
    return this.#others === 0 ? [...this.#counts] : [...this.#counts, [null, this.#others]]
  }
}

/** What this process has counted for a key in one hour. */
class KeyUse {
  calls = 0
  errors = 0
  /** The last call that was accepted; 0 if there was none. */
  lastAt = 0
  lastFrom = ''
  lastAgent = ''
  lastOperation: string | null = null
  readonly addresses = new TopCounter(MAX_VALUES)
  readonly agents = new TopCounter(MAX_VALUES)
  readonly operations = new TopCounter(MAX_VALUES)
  readonly fields = new TopCounter(MAX_FIELDS)
  paused: PausedUse | undefined
  isWritten = true
}

interface PausedUse {
  /** When that pause began: an earlier one does not count. */
  since: number
  calls: number
  lastAt: number
  addresses: TopCounter
  agents: TopCounter
}

export type { KeyUse }

/** An hour, or a part of one. No other process writes under its name: writing it twice does no harm. */
interface Page {
  hour: number
  writer: string
  uses: Map<string, KeyUse>
}

export interface CountedUse {
  keyId: string
  hour: number
  writer: string
  use: KeyUse
}

export interface CountedCall {
  at: number
  from: string
  agent?: string | undefined
  /** Undefined: there was none that could be run. */
  operation?: string | undefined
  fields?: readonly string[]
  /** It asked for something that its key may not do. */
  isForbidden?: boolean
}

export interface UsageCounter {
  /** Counts a call, and returns how many calls of the key are counted in this hour. */
  noteCall(keyId: string, call: CountedCall): number
  /** Counts a refused call, which does not mark the key as used. */
  noteRefusedCall(keyId: string, at: number): void
  /** Remembers who was refused since a key was paused, beside `noteRefusedCall`. */
  noteWhilePaused(keyId: string, at: number, call: { pausedAt: number; from: string; agent: string | undefined }): void
  flush(): Promise<void>
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
    if (hour !== page.hour || page.uses.size >= MAX_ON_A_PAGE) turnPage(hour)
    let use = page.uses.get(keyId)
    if (!use) {
      use = new KeyUse()
      page.uses.set(keyId, use)
    }
    use.isWritten = false
    return use
  }

  function turnPage(hour: number): void {
    if (page.uses.size > 0) full.push(page)
    if (full.length > MAX_PAGES) {
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
    full = full.filter((each) => unwritten(each).length > 0)
    await alsoWrite()
  }

  /** A waiting flush writes everything counted until it starts, so a third one has nothing to do. */
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
    noteCall(keyId, { at, from, agent = '', operation, fields = [], isForbidden = false }) {
      const use = entryOf(keyId, at)
      if (isForbidden) use.errors++
      else use.calls++
      use.lastAt = at
      if (from !== use.lastFrom) use.lastFrom = storable(from, MAX_ADDRESS_LENGTH) // most calls come from the same address as the one before
      if (agent !== use.lastAgent) use.lastAgent = storable(agent, MAX_USER_AGENT_LENGTH)
      use.addresses.add(use.lastFrom)
      use.agents.add(use.lastAgent)
      for (const field of fields) use.fields.add(field)
      if (operation === undefined) return use.calls
      if (operation !== use.lastOperation) use.lastOperation = storable(operation, MAX_OPERATION_LENGTH)
      use.operations.add(use.lastOperation)
      return use.calls
    },
    noteRefusedCall(keyId, at) {
      entryOf(keyId, at).errors++
    },
    noteWhilePaused(keyId, at, { pausedAt, from, agent = '' }) {
      const use = entryOf(keyId, at)
      if (use.paused?.since !== pausedAt) use.paused = newPausedUse(pausedAt)
      use.paused.calls++
      use.paused.lastAt = at
      use.paused.addresses.add(storable(from, MAX_ADDRESS_LENGTH))
      use.paused.agents.add(storable(agent, MAX_USER_AGENT_LENGTH))
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
  addresses: new TopCounter(MAX_VALUES),
  agents: new TopCounter(MAX_VALUES),
})

const newPage = (hour: number): Page => ({ hour, writer: newId(hour), uses: new Map() })

/** In the order of their ids, so that two writers do not deadlock. */
const unwritten = ({ hour, writer, uses }: Page): CountedUse[] =>
  [...uses]
    .filter(([, use]) => !use.isWritten)
    .map(([keyId, use]) => ({ keyId, hour, writer, use }))
    .sort((a, b) => (a.keyId < b.keyId ? -1 : 1))
