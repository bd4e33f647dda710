import { queryOptions } from '@tanstack/react-query'
import { ApiError, request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'
import type { Sort } from './order-by.ts'
import { every } from './polling.ts'

const REFRESH_MS = 10_000

const WEBHOOKS = graphql(`
  query Webhooks {
    webhooks {
      id url description events enabled state pausedReason
      deliveries(first: 1) { data { id event state createdAt lastAttemptAt responseStatus } }
    }
  }
`)

export type ListedWebhook = ResultOf<typeof WEBHOOKS>['webhooks'][number]

/** What the list can be sorted by. */
export type WebhookSort = Sort<'url' | 'status' | 'delivery'>

/** The webhooks of the organization, and the last delivery of each. */
export const webhooksQuery = (slug: string) =>
  queryOptions({
    queryKey: ['webhooks', slug, 'list'],
    queryFn: async () => (await request(WEBHOOKS, {}, slug)).webhooks,
    refetchInterval: every(REFRESH_MS),
  })

const WEBHOOK = graphql(`
  query Webhook($id: ID!) {
    webhook(id: $id) {
      id url description events enabled state pausedReason createdAt secretRotatesAt
      createdBy { kind name }
    }
  }
`)

export type Webhook = NonNullable<ResultOf<typeof WEBHOOK>['webhook']>
export type WebhookEvent = Webhook['events'][number]
export type WebhookState = Webhook['state']

/** Null when there is none, or no longer. */
export const webhookQuery = (slug: string, id: string) =>
  queryOptions({
    queryKey: ['webhooks', slug, 'one', id],
    queryFn: async () => {
      try {
        return (await request(WEBHOOK, { id }, slug)).webhook
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_FOUND') return null
        throw error
      }
    },
    refetchInterval: every(REFRESH_MS),
  })
