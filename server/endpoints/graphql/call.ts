import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FieldAccess } from '../../caller/key-rules.ts'
import type { AcceptedKey } from '../../caller/verify-key.ts'
import type { ShownLimits } from '../rate-limit.ts'

/** A request to `/graphql` or `/mcp`, and what is known of it so far. */
export interface ApiCall extends ShownLimits {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly endpoint: '/graphql' | '/mcp'
  readonly startedAt: number
  readonly requestId: string
  /** The address of the client. */
  readonly address: string
  /** Set when the key is known, accepted or not. */
  keyId?: string
  /** Set when it is accepted. */
  key?: AcceptedKey
  /** The title of the operation, once it is found. */
  operation?: string | undefined
  /** What the operation requests, as far as the access of a key depends on it. */
  fields?: readonly FieldAccess[]
  /** The error codes in the answer; absent when there are none. */
  codes?: readonly string[]
}
