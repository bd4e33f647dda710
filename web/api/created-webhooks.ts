import { queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf } from './graphql.ts'

const CREATORS = graphql(`
  query WebhookCreators {
    webhooks { id url description enabled createdBy { kind id } }
  }
`)

export type CreatedBySomebody = ResultOf<typeof CREATORS>['webhooks'][number]

/** The webhooks of the organization, with who created each. */
export const webhookCreatorsQuery = (slug: string) =>
  queryOptions({
    queryKey: ['webhooks', slug, 'creators'],
    queryFn: async () => (await request(CREATORS, {}, slug)).webhooks,
  })
