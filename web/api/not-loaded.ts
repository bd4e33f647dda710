import { ApiError, unreachable } from './client.ts'
import { isReachable } from './reach.ts'

export const OUTDATED = 'A part of this page could not be loaded. Reload the page: the portal may have been updated.'

/** Why the code of a part could not be loaded: no connection, or probably that a newer version has replaced its file. */
export async function notLoaded(message = OUTDATED): Promise<ApiError> {
  return (await isReachable()) ? new ApiError(message, { code: 'OUTDATED' }) : unreachable()
}
