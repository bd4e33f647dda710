import type { DeliveryState } from '../../api/webhook-deliveries.ts'
import type { DotState } from '../../ui/StateDot.tsx'

const STATES = ['DELIVERED', 'PENDING', 'FAILED'] as const satisfies DeliveryState[]

/** The filter as it is in the URL. What makes no sense in it is named too, or the router would keep it. */
export const deliverySearch = ({ state }: Record<string, unknown>): { state?: DeliveryState | undefined } => ({
  state: STATES.find((known) => known === state),
})

export const DELIVERY_STATES: Record<DeliveryState, { state: DotState; words: string }> = {
  DELIVERED: { state: 'well', words: 'Delivered' },
  PENDING: { state: 'none', words: 'Pending' },
  FAILED: { state: 'half', words: 'Failed' },
}
