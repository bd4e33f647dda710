import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { Failure } from '../lib/failure.ts'

/** `/health/live`: the process answers. `/health/ready`: the database does too. */
export function health({ database }: Deps) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/health/live', async () => ({ status: 'live' }))
    app.get('/health/ready', async () => {
      try {
        await database.ping()
      } catch (error) {
        throw new Failure('UNAVAILABLE', { says: 'The database does not answer.', retryAfterSeconds: 1, cause: error })
      }
      return { status: 'ready' }
    })
  }
}
