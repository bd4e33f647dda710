import type { Socket } from 'node:net'
import { OPERATION_TIMEOUT_MS } from '../graphql/limits.ts'

/**
 * A check whether nobody waits for the response any more: the client has disconnected, or the operation has timed out.
 */
export function disconnectCheck(socket: Socket): () => boolean {
  const until = performance.now() + OPERATION_TIMEOUT_MS
  return () => socket.destroyed || performance.now() > until
}
