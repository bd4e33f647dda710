import { LRUCache } from 'lru-cache'
import { SECOND } from '../lib/clock.ts'
import { upTo } from '../lib/random.ts'
import type { DueWebhook } from './delivery-queue.ts'

/** Attempts in progress in one process: of all webhooks, and of those that fail or are slow. */
const SLOTS = 64
const SLOTS_HELD_BACK = 16
const SLOTS_OF_ORGANIZATION = 8
/** Slots for webhooks that are not known to be quick: the others of the organization are for those that are. */
const SLOTS_HELD_BACK_OF_ORGANIZATION = 4
const SLOTS_OF_WEBHOOK = 4
const SLOTS_OF_WEBHOOK_HELD_BACK = 1
const SLOW_MS = 2 * SECOND
const MAX_PACES = 10_000

type Pace = 'quick' | 'slow' | undefined

/** Limits attempts in progress, so that a slow receiver delays nobody. A webhook that was quick gets more slots. */
export function createSlots() {
  const taken = new Map<string, number>()
  const paces = new LRUCache<string, NonNullable<Pace>>({ max: MAX_PACES })
  const paceOf = ({ id, failingSince }: DueWebhook): Pace => (failingSince === null ? paces.get(id) : 'slow')
  const count = (key: string, by: number) => {
    const after = (taken.get(key) ?? 0) + by
    if (after === 0) taken.delete(key)
    else taken.set(key, after)
  }
  const free = (key: string, most: number) => most - (taken.get(key) ?? 0)

  /** What an attempt is counted among, and how many of that there may be. */
  function limitsOf(webhook: DueWebhook): [key: string, most: number][] {
    const { id, organizationId } = webhook
    const pace = paceOf(webhook)
    const limits: [string, number][] = [
      ['all', SLOTS],
      [`organization ${organizationId}`, SLOTS_OF_ORGANIZATION],
      [`webhook ${id}`, pace === 'quick' ? SLOTS_OF_WEBHOOK : SLOTS_OF_WEBHOOK_HELD_BACK],
    ]
    if (pace !== 'quick') limits.push([`held back of ${organizationId}`, SLOTS_HELD_BACK_OF_ORGANIZATION])
    if (pace === 'slow') limits.push(['held back', SLOTS_HELD_BACK])
    return limits
  }

  return {
    /** In a random order, so that none is always the last. */
    inTurn: (due: readonly DueWebhook[]): DueWebhook[] =>
      due
        .map((webhook) => ({ webhook, turn: upTo(1) }))
        .sort((a, b) => a.turn - b.turn)
        .map(({ webhook }) => webhook),
    roomFor: (webhook: DueWebhook): number =>
      Math.max(0, Math.min(...limitsOf(webhook).map(([key, most]) => free(key, most)))),
    /** Takes a slot; returns how to give it back, with the time that the attempt took. */
    take(webhook: DueWebhook): (tookMs: number) => void {
      const keys = limitsOf(webhook).map(([key]) => key)
      for (const key of keys) count(key, 1)
      return (tookMs) => {
        for (const key of keys) count(key, -1)
        paces.set(webhook.id, tookMs > SLOW_MS ? 'slow' : 'quick')
      }
    },
  }
}
