import type { FastifyError, FastifyReply } from 'fastify'
import type { HttpAnswer, HttpCall } from '../http/http-io.ts'
import { graphqlType, JSON_TYPE } from '../http/media-type.ts'
import { AppError, allErrorsIn, ERRORS, errorExtensions } from '../lib/app-error.ts'
import type { Log } from '../lib/log.ts'
import { tooLarge } from '../lib/too-large.ts'
import { logUnavailable } from '../lib/unavailable.ts'

const RETRY_UNAVAILABLE_AFTER_SECONDS = 1

/** Where the request id is in a prepared answer; no message has it. */
const ID = '\u0000'

/** Answers of errors that many requests get: they differ in nothing but the request id and the type. */
const prepared = new WeakMap<AppError, Prepared>()

interface Prepared {
  status: number
  headers: Record<string, string>
  before: string
  after: string
}

/** For an error that is thrown again and again: its answer costs a third. */
export function prepareAnswer(failure: AppError): void {
  const { status, headers, body } = answerOf(failure, ID, JSON_TYPE)
  const [before = '', after = ''] = String(body).split(JSON.stringify(ID).slice(1, -1))
  prepared.set(failure, { status, headers, before, after })
}

/** An error in the one shape that all errors have. */
export function errorAnswer(failure: AppError, requestId: string, type = JSON_TYPE): HttpAnswer {
  const known = prepared.get(failure)
  if (!known) return answerOf(failure, requestId, type)
  const { status, headers, before, after } = known
  const body = before + requestId + after
  return { status, headers: type === JSON_TYPE ? headers : { ...headers, 'content-type': type }, body }
}

function answerOf(failure: AppError, requestId: string, type: string): HttpAnswer {
  const { status = ERRORS[failure.code].status, challenge } = failure.details
  const { retryAfterSeconds = status === 503 ? RETRY_UNAVAILABLE_AFTER_SECONDS : undefined } = failure.details
  const errors = allErrorsIn(failure).map((each) => ({
    message: each.message,
    extensions: errorExtensions(each, requestId),
  }))
  return {
    status,
    headers: {
      'content-type': type,
      ...(status === 401 && { 'www-authenticate': challenge ?? 'ApiKey realm="portal"' }),
      ...(status === 413 && { connection: 'close' }), // does not wait for the rest of the body
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ errors }),
  }
}

export const sendError = (reply: FastifyReply, failure: AppError): FastifyReply =>
  sendReply(reply, errorAnswer(failure, reply.request.id))

/** The same for a GraphQL client, in the type that it asks for. */
export const sendGraphqlError = (reply: FastifyReply, failure: AppError): FastifyReply =>
  sendReply(reply, errorAnswer(failure, reply.request.id, graphqlType(reply.request.headers.accept)))

/** Sends an answer through Fastify. */
export const sendReply = (reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply =>
  reply.code(status).headers(headers).send(body)

/**
 * The public error for anything that was thrown: an AppError as it is, the framework's own in our words, a bug masked.
 */
export function toAppError(error: unknown, log: Log, bodyLimit?: number): AppError {
  if (error instanceof AppError) {
    if (error.code === 'UNAVAILABLE') logUnavailable(log, error)
    return error
  }
  if (isFrameworkError(error)) return frameworkFailure(error, bodyLimit)
  log.error({ err: error }, 'bug')
  return new AppError('INTERNAL', { cause: error })
}

const isFrameworkError = (error: unknown): error is FastifyError & { statusCode: number } =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500

function frameworkFailure({ code, statusCode }: FastifyError & { statusCode: number }, bodyLimit?: number): AppError {
  if (statusCode === 413) return bodyLimit ? tooLarge(bodyLimit) : new AppError('PAYLOAD_TOO_LARGE')
  if (statusCode === 415) {
    return new AppError('BAD_REQUEST', { status: 415, message: 'Send JSON, with Content-Type: application/json.' })
  }
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || code === 'FST_ERR_CTP_EMPTY_JSON_BODY') {
    return new AppError('BAD_REQUEST', { message: 'The body is not JSON.' })
  }
  return new AppError('BAD_REQUEST', { status: statusCode, message: 'The request cannot be understood.' })
}

const PROTOCOL_WORDS: Record<number, string> = {
  405: 'Use POST; GET is for queries only.',
  406: 'Accept application/json or application/graphql-response+json.',
  415: 'Send JSON, with Content-Type: application/json.',
}

/** What the library says of a part of the request, in our words. PHP, for one, writes an empty array as a list. */
const INVALID_PART: Record<string, string> = {
  'Invalid variables':
    'Send variables as a JSON object such as {"first": 10}, or leave them out: not a list, not a text.',
  'Invalid extensions': 'Send extensions as a JSON object such as {"dryRun": true}, or leave them out.',
}

const BATCH =
  'Batches are off: POST one JSON object, not an array. Put several fields into one operation, or send requests at the same time, which is cheap over a connection that stays open.'

/** A JSON array: some clients put several operations into one. */
export function refuseBatch(body: string | null): void {
  if (body !== null && /^\s*\[/.test(body)) throw new AppError('BAD_REQUEST', { message: BATCH })
}

/** By these words Apollo Client, urql and others know that they have to send the document, and do so from then on. */
const NO_PERSISTED_QUERIES = 'PersistedQueryNotSupported'

/**
 * A request that is not GraphQL over HTTP: the protocol's own status, and a message that says what to send. One with the
 * hash of a document in place of it is answered as an invalid document is: some clients read plain JSON only with 200.
 */
export function protocolError(status: number, body: string | null, sent: HttpCall, type: string): AppError {
  const said = messageIn(body)
  if (said === 'Missing query' && (sent.body ?? sent.url).includes('persistedQuery')) {
    return new AppError('BAD_REQUEST', { status: type === JSON_TYPE ? 200 : 400, message: NO_PERSISTED_QUERIES })
  }
  const message =
    PROTOCOL_WORDS[status] ??
    INVALID_PART[said] ??
    `${said}: POST a JSON object such as {"query":"{ viewer { role } }"}.`
  return new AppError('BAD_REQUEST', { status, message })
}

function messageIn(body: string | null): string {
  const parsed: unknown = body === null ? undefined : JSON.parse(body)
  const errors = parsed && typeof parsed === 'object' && 'errors' in parsed ? parsed.errors : undefined
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  const message = first && typeof first === 'object' && 'message' in first ? first.message : undefined
  return typeof message === 'string' ? message : 'Not a GraphQL request'
}
