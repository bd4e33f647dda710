import type { FastifyError, FastifyReply } from 'fastify'
import { AppError, allErrorsIn, ERRORS, errorExtensions } from '../lib/app-error.ts'
import type { Log } from '../lib/log.ts'
import { tooLarge } from '../lib/too-large.ts'
import { logUnavailable } from '../lib/unavailable.ts'
import { discardRest } from './body.ts'
import { graphqlType, JSON_TYPE } from './media-type.ts'
import type { HttpAnswer } from './send-answer.ts'

const RETRY_UNAVAILABLE_AFTER_SECONDS = 1

/** An error in the one shape that all errors have. */
export function errorAnswer(failure: AppError, requestId: string, type = JSON_TYPE): HttpAnswer {
  const { status = ERRORS[failure.code].status, challenge, headers } = failure.details
  const { retryAfterSeconds = status === 503 ? RETRY_UNAVAILABLE_AFTER_SECONDS : undefined } = failure.details
  const errors = allErrorsIn(failure).map((each) => ({
    message: each.message,
    extensions: errorExtensions(each, requestId),
  }))
  return {
    status,
    headers: {
      'content-type': type,
      ...headers,
      ...(status === 401 && { 'www-authenticate': challenge ?? 'ApiKey realm="portal"' }),
      ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ errors }),
  }
}

export const sendError = (reply: FastifyReply, failure: AppError): FastifyReply =>
  sendReply(reply, errorAnswer(failure, reply.request.id))

/** Sends an error to a GraphQL client, in the type that it asks for. */
export const sendGraphqlError = (reply: FastifyReply, failure: AppError): FastifyReply =>
  sendReply(reply, errorAnswer(failure, reply.request.id, graphqlType(reply.request.headers.accept)))

/** Sends an answer through Fastify. */
export function sendReply(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  if (!reply.request.raw.complete) discardRest(reply.request.raw)
  reply.removeHeader('connection') // Fastify closes it after each body that it does not read to the end
  return reply.code(status).headers(headers).send(body)
}

/** The public error for anything that was thrown: an AppError as it is, the framework's own in our words, a bug masked. */
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
