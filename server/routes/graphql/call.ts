import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RateLimitState } from '../../graphql/builder.ts'
import type { AcceptedKey } from '../../verify-key.ts'

/** A request to `/graphql` or `/mcp`, and what is known of it so far. */
export interface ApiCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly endpoint: '/graphql' | '/mcp'
  readonly startedAt: number
  readonly requestId: string
  /** Of the client. */
  readonly address: string
  /** Set when the key is known, accepted or not. */
  keyId?: string
  /** Set when it is accepted. */
  key?: AcceptedKey
  /** The limits that apply to the caller, for the headers of the answer; empty: none does. */
  policies: string
  /** The one of which least is left. */
  rateLimit: RateLimitState | undefined
  /** The title of the operation, once it is found. */
  operation?: string | undefined
  /** What the operation requests, as far as the access of a key depends on it. */
  fields?: readonly string[]
  /** The error codes in the answer; absent when there are none. */
  codes?: readonly string[]
}
