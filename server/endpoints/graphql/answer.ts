import type { Socket } from 'node:net'
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql'
import type { Caller } from '../../caller/ctx.ts'
import type { Deps } from '../../caller/deps.ts'
import type { RequestCtx } from '../../graphql/builder.ts'
import { OPERATION_TIMEOUT_MS } from '../../graphql/operation-limits.ts'
import type { HttpCall } from '../../http/body.ts'
import { createCompression } from '../../http/encoding.ts'
import { acceptedType, graphqlType, JSON_NAME } from '../../http/media-type.ts'
import type { HttpAnswer } from '../../http/send-answer.ts'
import type { Log } from '../../lib/log.ts'
import { emailEncryptionOf } from '../../mail/encrypted-links.ts'
import { createExecution, type ExecuteOperation } from './execute.ts'
import { chargeForBody, createOperationFinder, type FindOperation } from './operation.ts'
import { readRequest, refusedByGet } from './request.ts'

export interface Graphql {
  findOperation: FindOperation
  execute: ExecuteOperation
  /** GraphQL over HTTP, for a caller who is known. */
  answer(call: HttpCall, ctx: RequestCtx): Promise<HttpAnswer>
}

/** GraphQL for all endpoints: they determine the caller, this does the rest. `portalSecret` encrypts recorded answers. */
export function createGraphql(schema: GraphQLSchema, log: Log, portalSecret: () => string): Graphql {
  const findOperation = createOperationFinder(schema)
  const execute = createExecution(log, portalSecret)
  const compressed = createCompression()

  async function answer(call: HttpCall, ctx: RequestCtx): Promise<HttpAnswer> {
    const { method, headers, body } = call
    await chargeForBody(ctx, body ?? '')
    const found = await findOperation(readRequest(call), ctx)
    if ('errors' in found) return httpAnswer(found, headers.accept)
    const isMutation = found.operation.node.operation === 'mutation'
    if (isMutation && method === 'GET') throw refusedByGet()
    const answered = httpAnswer(await execute(found, ctx, headers), headers.accept, isMutation)
    if (!isMutation) return compressed(answered, headers['accept-encoding']) // mutations answer with secrets: see http/encoding.ts
    return ctx.isReplayed ? { ...answered, headers: { ...answered.headers, 'idempotency-replayed': 'true' } } : answered
  }

  return { findOperation, execute, answer }
}

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
      reads: database.readFor(caller.organizationId),
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

/** The status of a result, as GraphQL over HTTP has it: with plain JSON, errors of a document are 200 too. */
function httpAnswer(result: FormattedExecutionResult, accept: string | undefined, isMutation = false): HttpAnswer {
  const headers = { 'content-type': graphqlType(accept) }
  const body = JSON.stringify(result)
  if (result.errors && isWorthRetrying(result, isMutation))
    return { status: 503, headers: { ...headers, 'retry-after': '1' }, body }
  const isRefused = result.data === undefined && acceptedType(accept) !== JSON_NAME
  return { status: isRefused ? 400 : 200, headers, body }
}

/** Not once a mutation has succeeded: it would run twice. */
function isWorthRetrying({ data, errors }: FormattedExecutionResult, isMutation: boolean): boolean {
  const isUnavailable = errors?.some(({ extensions }) => extensions?.['code'] === 'UNAVAILABLE') ?? false
  return isUnavailable && (!isMutation || Object.values(data ?? {}).every((value) => value === null))
}
