import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { request } from './client.ts'
import type { ResultOf } from './graphql.ts'
import { isMailOn } from './mail.ts'
import { VIEWER } from './viewer-document.ts'

const FRESH_MS = 10_000

export type Viewer = ResultOf<typeof VIEWER>['viewer']

/** Who is signed in, and what they are in the organization of this slug. */
export const viewerQuery = (slug: string | undefined) =>
  queryOptions({
    queryKey: ['viewer', slug ?? ''],
    queryFn: async () => (await request(VIEWER, {}, slug)).viewer,
    staleTime: FRESH_MS,
  })

/** Who is signed in, inside a page, where the route has asked for it already. */
export function useViewer(): Viewer {
  const { slug } = useParams({ strict: false })
  return useSuspenseQuery(viewerQuery(slug)).data
}

/** Whether keys are shown at all: to an Admin, with the feature on (W1, W2, F2). */
export const showsApiKeys = ({ role, organization }: Viewer) => role === 'ADMIN' && organization.apiKeysEnabled

/** Whether somebody has still to verify their address (C14); where the portal sends no email, nobody has to. */
export const mustVerifyEmail = ({ emailVerified }: Viewer) => isMailOn() && !emailVerified
