import type { FastifyInstance } from 'fastify'
import type { Deps } from '../caller/deps.ts'
import { AppError } from '../lib/app-error.ts'
import { DiskFullError } from '../lib/disk-full.ts'

/** Live: the event loop was not blocked lately. Ready: the database answers and can write, and the process is not about to stop. */
export function health({ database, watchdog, isStopping }: Deps) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/health/live', async () => {
      if (!watchdog?.isStalled()) return { status: 'live' }
      throw new AppError('UNAVAILABLE', {
        message: 'The event loop of the portal was blocked for seconds a moment ago.',
        retryAfterSeconds: 1,
      })
    })
    app.get('/health/ready', async () => {
      if (isStopping?.())
        throw new AppError('UNAVAILABLE', { message: 'This process of the portal is stopping.', retryAfterSeconds: 1 })
      try {
        await database.ping()
      } catch (error) {
        if (error instanceof DiskFullError) throw error
        const message = database.point.isDoubted
          ? 'The database is being compared with its ledger.'
          : 'The database does not answer.'
        throw new AppError('UNAVAILABLE', { message, retryAfterSeconds: 1, cause: error })
      }
      return { status: 'ready' }
    })
  }
}
