import { errorAnswer } from '../../http/error-response.ts'
import type { HttpAnswer } from '../../http/send-answer.ts'
import { AppError, errorExtensions } from '../../lib/app-error.ts'
import { isObject } from '../../lib/is-object.ts'

/** As JSON-RPC 2.0 and MCP define them. `refused` is for whatever else a server refuses. */
export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  refused: -32_000,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
}

export type Id = string | number

/** A message of JSON-RPC 2.0: a request, or without an id a notification, which nobody waits for. */
export interface Message {
  id: Id | undefined
  method: string
  params: Record<string, unknown>
}

interface Refused {
  code: number
  message: string
  id?: Id | undefined
  status?: number
  data?: object
}

/** A message that is refused for its form, with its code. */
export class RefusedMessage extends AppError {
  readonly refused: Refused

  constructor(refused: Refused) {
    const { message, status = 400 } = refused
    super('BAD_REQUEST', { message, status })
    this.refused = refused
  }
}

/** An id is repeated in the answer. */
const MAX_ID_CHARACTERS = 100

/** Reads one message: several in one request would be counted as one. What is wrong is not repeated. */
export function readMessage(body: string): Message {
  const read = parse(body)
  if (Array.isArray(read)) throw noMessage('Send one message in each request, not an array of them.')
  if (!isObject(read) || read['jsonrpc'] !== '2.0') throw noMessage('Send a message of JSON-RPC 2.0.')
  const { id, method, params = {} } = read
  if (!isId(id)) throw noMessage(`id: a number, or a text of at most ${MAX_ID_CHARACTERS} characters.`)
  if (typeof method !== 'string') throw noMessage('method: a text.')
  if (!isObject(params)) throw noMessage('params: an object.')
  return { id, method, params }
}

const noMessage = (message: string) => new RefusedMessage({ code: RPC.invalidRequest, message })

const isId = (id: unknown): id is Id | undefined =>
  id === undefined || Number.isFinite(id) || (typeof id === 'string' && id.length <= MAX_ID_CHARACTERS)

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new RefusedMessage({ code: RPC.parseError, message: 'The body is not JSON.' })
  }
}

/** The answer to a request. */
export const jsonRpcResult = (id: Id, result: object): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id, result }),
})

/** A refusal in the shape of JSON-RPC, with the status, the headers and the words that it has at `/graphql`. */
export function jsonRpcError(refusal: AppError, requestId: string): HttpAnswer {
  const { code, id = null, data } = refusal instanceof RefusedMessage ? refusal.refused : { code: codeOf(refusal) }
  const error = { code, message: refusal.message, data: { ...errorExtensions(refusal, requestId), ...data } }
  return { ...errorAnswer(refusal, requestId), body: JSON.stringify({ jsonrpc: '2.0', id, error }) }
}

const codeOf = ({ code }: AppError) =>
  code === 'BAD_REQUEST' || code === 'PAYLOAD_TOO_LARGE' ? RPC.invalidRequest : RPC.refused
