import type { FormattedExecutionResult, GraphQLSchema } from 'graphql'
import type { RequestCtx } from '../../graphql/builder.ts'
import { pointsForBody } from '../../graphql/cost.ts'
import { MAX_BODY_BYTES } from '../../graphql/limits.ts'
import { createCompression } from '../../http/compression.ts'
import type { HttpAnswer, HttpCall } from '../../http/http-io.ts'
import { acceptedType, graphqlType, JSON_NAME } from '../../http/media-type.ts'
import type { Log } from '../../lib/log.ts'
import { tooLarge } from '../../lib/too-large.ts'
import { createExecution, type ExecuteOperation } from './execute.ts'
import { charge, createOperationFinder, type FindOperation } from './operation.ts'
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
    ctx.bodyBytes = Buffer.byteLength(body ?? '')
    ctx.bodyPoints = pointsForBody(body)
    await charge(ctx, ctx.bodyPoints)
    const request = await readRequest(call).catch((error: unknown) => {
      throw (ctx.bodyBytes ?? 0) > MAX_BODY_BYTES ? tooLarge(MAX_BODY_BYTES) : error // large bodies are for lists of inputs
    })
    const found = await findOperation(request, ctx)
    if ('errors' in found) return httpAnswer(found, headers.accept)
    const isMutation = found.operation.node.operation === 'mutation'
    if (isMutation && method === 'GET') throw refusedByGet()
    const answered = httpAnswer(await execute(found, ctx, headers), headers.accept, isMutation)
    if (!isMutation) return compressed(answered, headers['accept-encoding']) // mutations answer with secrets: see http/compression.ts
    return ctx.isReplayed ? { ...answered, headers: { ...answered.headers, 'idempotency-replayed': 'true' } } : answered
  }

  return { findOperation, execute, answer }
}

/** The status of a result, as GraphQL over HTTP has it: with plain JSON, errors of a document are 200 too. */
function httpAnswer(result: FormattedExecutionResult, accept: string | undefined, isMutation = false): HttpAnswer {
  const headers = { 'content-type': graphqlType(accept) }
  const body = JSON.stringify(result)
  if (isWorthRetrying(result, isMutation)) return { status: 503, headers: { ...headers, 'retry-after': '1' }, body }
  const isRefused = result.data === undefined && acceptedType(accept) !== JSON_NAME
  return { status: isRefused ? 400 : 200, headers, body }
}

/** Not once a mutation has succeeded: it would run twice. */
function isWorthRetrying({ data, errors }: FormattedExecutionResult, isMutation: boolean): boolean {
  const isUnavailable = errors?.some(({ extensions }) => extensions?.['code'] === 'UNAVAILABLE') ?? false
  return isUnavailable && (!isMutation || Object.values(data ?? {}).every((value) => value === null))
}
