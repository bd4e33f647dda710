import type { HttpAnswer } from '../../http/http-io.ts'
import { AppError, errorExtensions } from '../../lib/app-error.ts'
import { errorAnswer } from '../error-response.ts'

/** As JSON-RPC 2.0 defines them. -32000 is for whatever else a server refuses. */
const CODES = { parseError: -32_700, invalidRequest: -32_600, refused: -32_000 }

/** A body that is no JSON has a code of its own. */
export class NotJson extends AppError {
  constructor(cause: unknown) {
    super('BAD_REQUEST', { message: 'The body is not JSON.', cause })
  }
}

/**
 * A refusal in the shape of JSON-RPC, with the status, the headers and the words that it has at `/graphql`. It has no id:
 * nothing was answered.
 */
export function jsonRpcError(refusal: AppError, requestId: string): HttpAnswer {
  const error = { code: codeOf(refusal), message: refusal.message, data: errorExtensions(refusal, requestId) }
  return { ...errorAnswer(refusal, requestId), body: JSON.stringify({ jsonrpc: '2.0', id: null, error }) }
}

function codeOf(refusal: AppError): number {
  if (refusal instanceof NotJson) return CODES.parseError
  return refusal.code === 'BAD_REQUEST' || refusal.code === 'PAYLOAD_TOO_LARGE' ? CODES.invalidRequest : CODES.refused
}
