import type { DeliveryState } from '../../api/webhook-deliveries.ts'
import type { DotState } from '../../ui/StateDot.tsx'

export const DELIVERY_STATES: Record<DeliveryState, { state: DotState; words: string }> = {
  DELIVERED: { state: 'well', words: 'Delivered' },
  PENDING: { state: 'none', words: 'Pending' },
  FAILED: { state: 'half', words: 'Failed' },
}
