import { HOSTILE_KINDS } from './receivers.ts'
import { webhookId } from './webhook-rows.ts'
import type { Worst } from './worst.ts'

/** Fewer than the tests of an organization that may be on their way. */
const AT_ONCE = 7
/** The portal looks for what is due every second. */
const WATCH_MS = 3000
/** The share of a core for all of them together. */
const MOST_SHARE = 0.3

/** Some receivers of webhooks that do what no receiver should, each asked once; all of them in two turns. */
export function hostileReceivers(turn: number): Worst {
  const kinds = Array.from({ length: AT_ONCE }, (_, i) => (turn * AT_ONCE + i) % HOSTILE_KINDS.length)
  return {
    shape: 'receivers',
    sizes: [1],
    watchMs: WATCH_MS,
    mostShare: MOST_SHARE,
    callsOf: () =>
      kinds.map((i) => ({
        query: `mutation ${HOSTILE_KINDS[i]} { testWebhook(id: "${webhookId('h', i)}") { id } }`,
      })),
  }
}
