import type { Socket } from 'node:net'
import type { Caller } from '../ctx.ts'
import type { Deps } from '../deps.ts'
import type { RequestCtx } from '../graphql/builder.ts'
import { OPERATION_TIMEOUT_MS } from '../graphql/limits.ts'
import { emailEncryptionOf } from '../mail/encrypted-links.ts'

/** A request whose caller is known. */
interface KnownRequest extends Pick<RequestCtx, 'requestId' | 'rateLimit' | 'charge'> {
  caller: Caller
  address: string
  socket: Socket
}

/** What resolvers get to know of a request. */
export function createRequestContext({ config, database, now }: Deps) {
  const emailEncryption = emailEncryptionOf(config)
  const sendsMail = config.smtp !== undefined

  return function contextOf({ caller, address, socket, ...request }: KnownRequest): RequestCtx {
    const until = performance.now() + OPERATION_TIMEOUT_MS
    return {
      ...request,
      caller,
      db: database.readFor(caller.organizationId),
      database,
      now,
      ip: address,
      isDisconnected: () => socket.destroyed || performance.now() > until, // nobody waits for the answer any more
      originConfig: config,
      emailEncryption,
      sendsMail,
      cost: 0,
      operation: undefined,
    }
  }
}
