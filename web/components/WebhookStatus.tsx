import type { WebhookState } from '../api/webhooks.ts'
import { type DotState, StateDot } from '../ui/StateDot.tsx'

const STATES: Record<WebhookState, { state: DotState; words: string }> = {
  ACTIVE: { state: 'well', words: 'Active' },
  FAILING: { state: 'half', words: 'Failing' },
  PAUSED: { state: 'half', words: 'Paused' },
}

const DISABLED = { state: 'none', words: 'Disabled' } as const

interface Shown {
  enabled: boolean
  state: WebhookState
  pausedReason: string | null
}

/** Whether a webhook is told of events: disabled by somebody, or paused by the portal, which then says why. */
export const statusOf = ({ enabled, state, pausedReason }: Shown) =>
  enabled || pausedReason ? STATES[state] : DISABLED

export const WebhookStatus = ({ webhook }: { webhook: Shown }) => <StateDot {...statusOf(webhook)} />
