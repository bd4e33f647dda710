import type { Socket } from 'node:net'
import { OPERATION_TIMEOUT_MS } from '../graphql/limits.ts'

/** Tells whether nobody waits for an answer any more: the caller has hung up, or was told that it took too long. */
export function goneFrom(socket: Socket): () => boolean {
  const until = performance.now() + OPERATION_TIMEOUT_MS
  return () => socket.destroyed || performance.now() > until
}
