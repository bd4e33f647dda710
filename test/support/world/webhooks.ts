import { type Call, fieldOf } from './people.ts'

export interface TestWebhook {
  id: string
  url: string
  description: string | null
  events: string[]
  enabled: boolean
  state: string
  pausedReason: string | null
  secretRotatesAt: string | null
}

export interface TestDelivery {
  id: string
  event: string
  state: string
  attempts: number
  lastAttemptAt: string | null
  nextAttemptAt: string | null
  responseStatus: number | null
  error: string | null
  payload: string
}

/** The body of a delivery. */
export interface TestPayload {
  type: string
  timestamp: string
  data: {
    version: number
    organizationId: string
    object: { type: string; id: string; name: string }
    actor: { kind: string; id: string | null; name: string }
    changes: { field: string; before: unknown; after: unknown }[] | null
  }
}

const WEBHOOK = 'id url description events enabled state pausedReason secretRotatesAt'
const DELIVERY = 'id event state attempts lastAttemptAt nextAttemptAt responseStatus error payload'

const LIST_DELIVERIES = `query ($id: ID!, $state: WebhookDeliveryState) {
  webhook(id: $id) { deliveries(state: $state) { data { ${DELIVERY} } totalCount } } }`

/** What a caller may do with webhooks, as GraphQL has it. */
export function webhooksAs(call: Call) {
  const created = async (input: object) =>
    fieldOf<{ webhook: TestWebhook; secret: string }>(
      await call(
        `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret webhook { ${WEBHOOK} } } }`,
        { input },
      ),
    )
  return {
    create: (input: object = {}) =>
      created({ url: 'https://hooks.example/in', events: ['DEVICE_CREATED', 'DEVICE_UPDATED'], ...input }),
    update: (id: string, input: object) =>
      call(
        `mutation ($id: ID!, $input: UpdateWebhookInput!) { updateWebhook(id: $id, input: $input) { ${WEBHOOK} } }`,
        { id, input },
      ),
    remove: (id: string) => call('mutation ($id: ID!) { deleteWebhook(id: $id) }', { id }),
    rotate: async (id: string, overlapSeconds?: number) =>
      fieldOf<{ webhook: TestWebhook; secret: string }>(
        await call(
          `mutation ($id: ID!, $overlapSeconds: Int) {
            rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { secret webhook { ${WEBHOOK} } } }`,
          { id, overlapSeconds },
        ),
      ),
    test: async (id: string) =>
      fieldOf<TestDelivery>(await call(`mutation ($id: ID!) { testWebhook(id: $id) { ${DELIVERY} } }`, { id })),
    redeliver: (id: string) =>
      call(`mutation ($id: ID!) { redeliverWebhook(deliveryId: $id) { ${DELIVERY} } }`, { id }),
    list: async () => fieldOf<TestWebhook[]>(await call(`{ webhooks { ${WEBHOOK} } }`)),
    find: async (id: string) =>
      fieldOf<TestWebhook>(await call(`query ($id: ID!) { webhook(id: $id) { ${WEBHOOK} } }`, { id })),
    deliveries: async (id: string, state?: string) =>
      fieldOf<{ deliveries: { data: TestDelivery[]; totalCount: number } }>(await call(LIST_DELIVERIES, { id, state }))
        .deliveries.data,
  }
}

export const payloadOf = ({ payload }: Pick<TestDelivery, 'payload'>) => JSON.parse(payload) as TestPayload
