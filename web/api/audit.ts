import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { request } from './client.ts'
import { graphql, type ResultOf, type VariablesOf } from './graphql.ts'

const PAGE = 50
const EXPORT_PAGE = 500

const EVENTS = graphql(`
  query AuditEvents($filter: AuditEventFilter, $first: Int!, $after: String) {
    auditEvents(filter: $filter, first: $first, after: $after) {
      data {
        id at action subject subjectType subjectId details ip
        actor { kind id name }
        changes { field before after }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`)

const COUNT = graphql(`
  query CountAuditEvents($filter: AuditEventFilter) {
    auditEvents(filter: $filter, first: 1) { totalCount }
  }
`)

export type AuditEvent = ResultOf<typeof EVENTS>['auditEvents']['data'][number]
export type AuditAction = AuditEvent['action']
export type AuditEventFilter = NonNullable<VariablesOf<typeof EVENTS>['filter']>

/**
 * What happened in the organization and fits the filter, the newest first, page by page. It is asked for again when
 * `asOf` changes.
 */
export const auditEventsQuery = (slug: string, filter: AuditEventFilter, asOf?: string) =>
  infiniteQueryOptions({
    queryKey: ['audit-events', slug, filter, asOf],
    queryFn: async ({ pageParam }) =>
      (await request(EVENTS, { filter, first: PAGE, after: pageParam }, slug)).auditEvents,
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    // While another filter loads, what was there stays; never that of another organization.
    placeholderData: (before, query) => (query?.queryKey[1] === slug ? before : undefined),
  })

export const countAuditEvents = async (slug: string, filter: AuditEventFilter) =>
  (await request(COUNT, { filter }, slug)).auditEvents.totalCount

/** How many events of its kind one call wrote: they have its time. */
export const callSizeQuery = (slug: string, { action, actor, at }: Pick<AuditEvent, 'action' | 'actor' | 'at'>) =>
  queryOptions({
    queryKey: ['audit-events', slug, 'of one call', action, actor.id, at],
    queryFn: () =>
      countAuditEvents(slug, {
        action,
        ...(actor.id && { actorId: actor.id }),
        since: at,
        until: new Date(Date.parse(at) + 1).toISOString(),
      }),
  })

/** Every event that matches the filter, in large pages, fetched as they are read. */
export async function* allAuditEvents(slug: string, filter: AuditEventFilter): AsyncGenerator<AuditEvent[]> {
  for (let after: string | null = null, more = true; more; ) {
    const { data, pageInfo }: ResultOf<typeof EVENTS>['auditEvents'] = (
      await request(EVENTS, { filter, first: EXPORT_PAGE, after }, slug)
    ).auditEvents
    yield data
    after = pageInfo.endCursor
    more = pageInfo.hasNextPage
  }
}
