import { upTo } from '../lib/random.ts'
import type { DueWebhook } from './queue.ts'

/** Attempts in progress in one process: of all webhooks, and of those that fail, which take until the time limit. */
const ALL = 64
const FAILING = 16
const OF_ORGANIZATION = 8
/** Of its webhooks that fail: the others of the organization are for those that do not. */
const FAILING_OF_ORGANIZATION = 4
const OF_WEBHOOK = 4
const OF_FAILING_WEBHOOK = 1

/** How many attempts may be in progress at once, so that a receiver that is slow or dead delays nobody else. */
export function createSlots() {
  const taken = new Map<string, number>()
  const count = (key: string, by: number) => {
    const after = (taken.get(key) ?? 0) + by
    if (after === 0) taken.delete(key)
    else taken.set(key, after)
  }
  const free = (key: string, most: number) => most - (taken.get(key) ?? 0)
  const keysOf = ({ id, organizationId, failingSince }: DueWebhook) => [
    `webhook ${id}`,
    `organization ${organizationId}`,
    ...(failingSince === null ? [] : ['failing', `failing of ${organizationId}`]),
    'all',
  ]
  return {
    /** In a random order, so that none is always the last. */
    inTurn: (due: readonly DueWebhook[]): DueWebhook[] =>
      due
        .map((webhook) => ({ webhook, turn: upTo(1) }))
        .sort((a, b) => a.turn - b.turn)
        .map(({ webhook }) => webhook),
    /** How many more attempts of this webhook may begin. */
    roomFor({ id, organizationId, failingSince }: DueWebhook): number {
      const isFailing = failingSince !== null
      const room = Math.min(
        free('all', ALL),
        free(`organization ${organizationId}`, OF_ORGANIZATION),
        free(`webhook ${id}`, isFailing ? OF_FAILING_WEBHOOK : OF_WEBHOOK),
        isFailing ? free('failing', FAILING) : ALL,
        isFailing ? free(`failing of ${organizationId}`, FAILING_OF_ORGANIZATION) : ALL,
      )
      return Math.max(0, room)
    },
    /** Takes a slot; returns how to give it back. */
    take(webhook: DueWebhook): () => void {
      const keys = keysOf(webhook)
      for (const key of keys) count(key, 1)
      return () => {
        for (const key of keys) count(key, -1)
      }
    },
  }
}
