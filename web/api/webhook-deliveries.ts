import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'
import { every } from './polling.ts'

const PAGE = 20
/** Among so many of the newest, a delivery that was just queued is found, however busy the webhook is. */
const NEWEST = 100
const DELIVERIES_REFRESH_MS = 5_000
const WATCH_MS = 1_000

const DELIVERIES = graphql(`
  query WebhookDeliveries($id: ID!, $first: Int!, $after: String, $state: WebhookDeliveryState) {
    webhook(id: $id) {
      deliveries(first: $first, after: $after, state: $state) {
        data {
          id event state attempts lastAttemptAt nextAttemptAt responseStatus error createdAt payload
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`)

type Deliveries = NonNullable<ResultOf<typeof DELIVERIES>['webhook']>['deliveries']
export type Delivery = Deliveries['data'][number]
export type DeliveryState = Delivery['state']

/** Whether it waits for its first attempt, or for the answer to one: an attempt that has failed leaves an error. */
export const isUnderWay = ({ state, error }: Delivery) => state === 'PENDING' && error === null

const NONE: Deliveries = { data: [], pageInfo: { hasNextPage: false, endCursor: null } }

const deliveriesOf = async (slug: string, wanted: VariablesOf<typeof DELIVERIES>) =>
  (await request(DELIVERIES, wanted, slug)).webhook?.deliveries ?? NONE

/** What was sent to a webhook, or will be, the newest first, page by page; only those in one state if wanted. */
export const deliveriesQuery = (slug: string, id: string, state: DeliveryState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', slug, 'deliveries', id, state ?? 'all'],
    queryFn: ({ pageParam }) => deliveriesOf(slug, { id, first: PAGE, after: pageParam, state: state ?? null }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    refetchInterval: every(DELIVERIES_REFRESH_MS),
    // While another state loads, what was there stays; never that of another webhook.
    placeholderData: (before, query) => (query?.queryKey[3] === id ? before : undefined),
  })

/** One delivery of the newest, looked at until it has come to an end. */
export const deliveryQuery = (slug: string, id: string, delivery: Delivery) =>
  queryOptions({
    queryKey: ['webhooks', slug, 'delivery', delivery.id],
    queryFn: async () => {
      const { data } = await deliveriesOf(slug, { id, first: NEWEST, after: null, state: null })
      return data.find((other) => other.id === delivery.id) ?? delivery
    },
    initialData: delivery,
    refetchInterval: (query) => (query.state.data?.state === 'PENDING' ? every(WATCH_MS)(query) : false),
    gcTime: 0,
  })

const TEST = graphql(`
  mutation TestWebhook($id: ID!) {
    testWebhook(id: $id) {
      id event state attempts lastAttemptAt nextAttemptAt responseStatus error createdAt payload
    }
  }
`)

/** Sends an event of the type `test`. */
export const testWebhook = async (slug: string, id: string): Promise<Delivery> =>
  (await mutate(TEST, { id }, slug)).testWebhook

const REDELIVER = graphql(`
  mutation RedeliverWebhook($deliveryId: ID!) {
    redeliverWebhook(deliveryId: $deliveryId) { id state attempts }
  }
`)

/** Sends an event once more. */
export const redeliverWebhook = async (slug: string, deliveryId: string) =>
  (await mutate(REDELIVER, { deliveryId }, slug)).redeliverWebhook
