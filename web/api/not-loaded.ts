import { ApiError, unreachable } from './client.ts'
import { isReachable } from './reach.ts'

/** Why the code of a part could not be loaded: no connection, or probably that a newer version has replaced its file. */
export async function notLoaded(): Promise<ApiError> {
  return (await isReachable())
    ? new ApiError('A part of this page could not be loaded. Reload the page: the portal may have been updated.', {
        code: 'OUTDATED',
      })
    : unreachable()
}
