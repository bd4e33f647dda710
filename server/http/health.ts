import type { FastifyInstance } from 'fastify'
import type { Deps } from '../deps.ts'
import { Failure } from '../lib/failure.ts'

/** `/health/live`: the process answers, and has not been held up lately. `/health/ready`: the database does too. */
export function health({ database, watchdog }: Deps) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/health/live', async () => {
      if (!watchdog?.isStalled()) return { status: 'live' }
      throw new Failure('UNAVAILABLE', {
        says: 'The portal was held up for seconds a moment ago.',
        retryAfterSeconds: 1,
      })
    })
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
