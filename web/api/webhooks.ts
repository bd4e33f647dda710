import { queryOptions } from '@tanstack/react-query'
import { ApiError, mutate, request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'
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

const CREATE = graphql(`
  mutation CreateWebhook($input: CreateWebhookInput!) {
    createWebhook(input: $input) { webhook { id url description secretRotatesAt } secret }
  }
`)

export type NewWebhook = VariablesOf<typeof CREATE>['input']
export type CreatedWebhook = NonNullable<ResultOf<typeof CREATE>['createWebhook']>

/** Creates a webhook; the answer has its secret, once. */
export const createWebhook = async (slug: string, input: NewWebhook) =>
  (await mutate(CREATE, { input }, slug)).createWebhook

const UPDATE = graphql(`
  mutation UpdateWebhook($id: ID!, $input: UpdateWebhookInput!) {
    updateWebhook(id: $id, input: $input) { id url description enabled }
  }
`)

export type WebhookChanges = VariablesOf<typeof UPDATE>['input']

export const updateWebhook = async (slug: string, id: string, input: WebhookChanges) =>
  (await mutate(UPDATE, { id, input }, slug)).updateWebhook

const DELETE = graphql(`
  mutation DeleteWebhook($id: ID!) {
    deleteWebhook(id: $id)
  }
`)

export const deleteWebhook = (slug: string, id: string) => mutate(DELETE, { id }, slug)

const ROTATE = graphql(`
  mutation RotateWebhookSecret($id: ID!, $overlapSeconds: Int) {
    rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) {
      webhook { id url description secretRotatesAt }
      secret
    }
  }
`)

/** A new secret; for so many seconds, what is sent is signed with the old one too. */
export const rotateWebhookSecret = async (slug: string, id: string, overlapSeconds: number) =>
  (await mutate(ROTATE, { id, overlapSeconds }, slug)).rotateWebhookSecret
