import { ApiError, unreachable } from './client.ts'
import { isReachable } from './reach.ts'

/** Why the code of a part could not be loaded: no connection, or a newer version has taken the place of its files. */
export async function notLoaded(): Promise<ApiError> {
  return (await isReachable())
    ? new ApiError('The portal has been updated. Reload the page to continue.', { code: 'OUTDATED' })
    : unreachable()
}
