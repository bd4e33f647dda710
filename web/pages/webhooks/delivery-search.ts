import type { DeliveryState } from '../../api/webhook-deliveries.ts'

const STATES = ['DELIVERED', 'PENDING', 'FAILED'] as const satisfies DeliveryState[]

/** The filter as it is in the URL. What makes no sense in it is named too, or the router would keep it. */
export const deliverySearch = ({ state }: Record<string, unknown>): { state?: DeliveryState | undefined } => ({
  state: STATES.find((known) => known === state),
})
