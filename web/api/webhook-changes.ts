import { mutate } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

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
