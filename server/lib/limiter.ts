import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { SECOND } from './clock.ts'
import type { Valkey } from './valkey.ts'
import { answeredWithin } from './within.ts'

/** How long a count waits for the parent. */
const ANSWER_MS = SECOND
/** What all workers together may have taken in advance of one limit: the rest is there for any of them. */
const IN_ADVANCE = 1 / 8
/** What one worker may have taken in advance of one limit: it is lost if the worker stops. */
const MAX_IN_ADVANCE = 50
/** In seconds: of a longer window nothing is taken in advance, since what is lost would be missing for the rest of it. */
const MAX_SECONDS_IN_ADVANCE = 60
/** Idle ids are forgotten beyond that number; what was taken in advance for them counts as used. */
const MAX_PORTIONS = 20_000

/** Counts that all workers share, in their parent. */
export interface ParentCounts {
  workers: number
  counterOf(options: { keyPrefix: string; points: number; duration: number }): RateLimiterAbstract
  /** Called when the parent did not answer in time. */
  noteSilence(error: unknown): void
  /** Whether it did not answer only a moment ago: nobody waits for it again. */
  isSilent(): boolean
}

/** Where processes count together. Neither: each counts for itself. */
export interface Shared {
  valkey?: Valkey | undefined
  parent?: ParentCounts | undefined
}

/** Counts points of ids, each in a window that begins with its first point. It refuses nothing. */
export type Counter = Pick<RateLimiterAbstract, 'penalty' | 'delete'>

/** For all processes on one Valkey or all workers; for this process without either, and while it does not answer. */
export function createCounter(name: string, seconds: number, { valkey, parent }: Shared): Counter {
  const options = { keyPrefix: `portal:count:${name}`, points: Number.MAX_SAFE_INTEGER, duration: seconds }
  const own = new RateLimiterMemory(options)
  if (valkey)
    return new RateLimiterRedis({ ...options, storeClient: valkey, useRedisPackage: true, insuranceLimiter: own })
  if (!parent) return own
  const counter = parent.counterOf(options)

  async function ask<Answer>(question: (counter: Counter) => Promise<Answer>): Promise<Answer> {
    if (parent?.isSilent()) return question(own)
    return answeredWithin(ANSWER_MS, question(counter)).catch((error: unknown) => {
      parent?.noteSilence(error)
      return question(own)
    })
  }
  return {
    penalty: (...args) => ask((counter) => counter.penalty(...args)),
    delete: (id) => ask((counter) => counter.delete(id)),
  }
}

/** What became of a charge, and what is left in this window. */
export interface Charged {
  isAccepted: boolean
  remaining: number
  msBeforeNext: number
}

/** Takes points of an id, of so many in each window. A refused charge takes what is left. */
export type Charge = (id: string, limit: number, points?: number) => Promise<Charged>

export function createLimiter(name: string, seconds: number, shared: Shared): Charge {
  const counter = createCounter(name, seconds, shared)
  const { valkey, parent } = shared
  const part = valkey || seconds > MAX_SECONDS_IN_ADVANCE ? 0 : IN_ADVANCE / (parent?.workers ?? 1)
  return inPortions(counter, seconds * SECOND, (limit) => Math.min(MAX_IN_ADVANCE, Math.floor(limit * part)))
}

/** What this process may spend of a limit in one window. */
interface Portion {
  unspent: number
  /** What was left for all processes at the last answer. */
  left: number
  endsAt: number
  /** What those charges need together that are not settled. */
  wanted: number
  asking: Promise<void> | undefined
  isLast: boolean
}

/** Spends points that are counted for all processes beforehand: those that are wanted, or `inAdvance` of them, at once. */
function inPortions(counter: Counter, windowMs: number, inAdvance: (limit: number) => number): Charge {
  const portions = new Map<string, Portion>()

  function begin(name: string): Portion {
    const portion = {
      unspent: 0,
      left: 0,
      endsAt: Number.POSITIVE_INFINITY,
      wanted: 0,
      asking: undefined,
      isLast: false,
    }
    portions.delete(name) // set again, so that the oldest comes first
    portions.set(name, portion)
    if (portions.size > MAX_PORTIONS) portions.delete(portions.keys().next().value ?? '')
    return portion
  }

  async function ask(id: string, limit: number, portion: Portion): Promise<void> {
    const points = Math.max(portion.wanted - portion.unspent, inAdvance(limit))
    const sentAt = performance.now()
    const { consumedPoints, msBeforeNext } = await counter.penalty(id, points)
    const endsAt = sentAt + msBeforeNext // counted after that time, so the window has not ended by then
    const granted = Math.max(0, Math.min(points, limit - consumedPoints + points))
    const isOtherWindow = endsAt - portion.endsAt > windowMs / 2
    portion.unspent = granted + (isOtherWindow ? 0 : portion.unspent)
    portion.left = Math.max(0, limit - consumedPoints)
    portion.endsAt = endsAt
    portion.isLast = granted < points
    portion.asking = undefined
  }

  return async function charge(id, limit, points = 1) {
    const name = `${limit} ${id}`
    const known = portions.get(name)
    const portion = known && (known.asking || performance.now() < known.endsAt) ? known : begin(name)
    portion.wanted += points
    while (portion.unspent < points && !portion.isLast) {
      portion.asking ??= ask(id, limit, portion)
      await portion.asking
    }
    portion.wanted -= points
    const isAccepted = portion.unspent >= points
    portion.unspent = isAccepted ? portion.unspent - points : 0
    const remaining = isAccepted ? portion.unspent + portion.left : 0
    return { isAccepted, remaining, msBeforeNext: portion.endsAt - performance.now() }
  }
}
