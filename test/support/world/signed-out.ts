import type { Answer } from './http.ts'
import type { World } from './world.ts'

/** A call at the route for people, without a session. */
export async function signedOut(world: World, query: string, variables: object = {}): Promise<Answer> {
  const { status, body, headers } = await world.post('/portal/graphql', { query, variables })
  const { data, errors = [] } = body as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] }
  return { status, data, headers, errors: errors.map((error) => ({ ...error, code: error.extensions.code })) }
}
