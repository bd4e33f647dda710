import type { RequestCtx } from '../../../server/graphql/builder.ts'
import type { TestOrganization, World } from './world.ts'

/** What resolvers get when the Admin of an organization calls in the browser. */
export async function adminCtx(world: World, acme: TestOrganization): Promise<RequestCtx> {
  const sessions = world.database.read.selectFrom('session').select('id').where('userId', '=', acme.admin.userId)
  const { id: sessionId } = await sessions.executeTakeFirstOrThrow()
  const { userId, name, email } = acme.admin
  return {
    caller: { kind: 'USER', userId, sessionId, name, email, support: false, organizationId: acme.id, role: 'ADMIN' },
    reads: world.database.read,
    database: world.database,
    now: world.clock.now,
    requestId: 'r-1',
    originConfig: world.config,
    cost: 1,
    operation: undefined,
    rateLimit: { name: 'requests_of_caller', limit: 200, remaining: 199, resetAt: world.clock.now() },
  }
}
