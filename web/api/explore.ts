import { unreachable, unreadable } from './client.ts'
import { recordRequest } from './reach.ts'

/** As the signed-in person in the organization of this slug, or as a key. */
export type Caller = { slug: string } | { secret: string }

const TIMEOUT_MS = 30_000

/** One operation that a person wrote, and its answer as it is, errors included. */
export async function explore(operation: object, caller: Caller): Promise<object> {
  const [path, headers] =
    'secret' in caller
      ? (['/graphql', { 'api-secret': caller.secret }] as const)
      : (['/portal/graphql', { 'portal-organization': caller.slug }] as const)
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(operation),
    credentials: 'secret' in caller ? 'omit' : 'same-origin', // a key goes without the session
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  recordRequest(response !== undefined)
  if (!response) throw unreachable('changes')
  const answer: unknown = await response.json().catch(() => undefined)
  if (typeof answer !== 'object' || answer === null) throw unreadable(response.status, 'changes')
  return answer
}
