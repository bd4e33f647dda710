import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { createHandler, type Response } from 'graphql-http'
import type { RequestCtx } from '../graphql/builder.ts'
import { runOperation } from '../graphql/execute.ts'
import { createOperations, InvalidDocument, type Operation } from '../graphql/operation.ts'
import { Failure, failureExtensions } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import { protocolFailure, sendFailure } from './refusal.ts'

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const PLAIN_ACCEPT = new Set(['*/*', 'application/json'])

type Call = { ctx: RequestCtx; operation?: Operation }

/** Speaks GraphQL over HTTP for both doors: they say who is calling, this does the rest. */
export function createGraphqlHandler(schema: GraphQLSchema, log: Log) {
  const findOperation = createOperations(schema)

  const handle = createHandler<undefined, Call, Call>({
    onSubscribe({ context: call }, { query, operationName, variables }) {
      try {
        const variableValues = variables ?? {}
        call.operation = findOperation(query, operationName)
        call.ctx.cost = call.operation.costWith(variableValues)
        return { schema, document: call.operation.document, operationName, variableValues, contextValue: call }
      } catch (error) {
        return refusedDocument(error, call.ctx.requestId)
      }
    },
    async execute({ contextValue, variableValues }) {
      const call = contextValue as Call // what onSubscribe has put there
      if (!call.operation) throw new Error('Execution without an operation.')
      // Plain data in place of GraphQLErrors: they print alike, and compiled operations have no nodes to make real ones.
      return (await runOperation(call.operation, call.ctx, variableValues ?? {}, log)) as ExecutionResult
    },
    onOperation({ headers }, _args, result) {
      if ('errors' in result && result.errors?.some((error) => error.extensions['code'] === 'UNAVAILABLE')) {
        return [
          JSON.stringify(result),
          { status: 503, statusText: 'Service Unavailable', headers: { ...JSON_TYPE, 'retry-after': '1' } },
        ]
      }
      // What most clients accept, written out here: the library looks at every value once more for errors to unfold.
      const isPlain = 'accept' in headers ? PLAIN_ACCEPT.has(String(headers['accept'])) : true
      return isPlain ? [JSON.stringify(result), { status: 200, statusText: 'OK', headers: JSON_TYPE }] : undefined
    },
  })

  return async function answer(request: FastifyRequest, reply: FastifyReply, ctx: RequestCtx): Promise<FastifyReply> {
    const { method, url, headers, body } = request
    const text = typeof body === 'string' ? body : null
    return send(reply, await handle({ method, url, headers, body: text, raw: undefined, context: { ctx } }))
  }
}

/** What is wrong with a document, in the shape that the protocol gives a refusal before execution. */
function refusedDocument(error: unknown, requestId: string): GraphQLError[] {
  if (error instanceof Failure) {
    return [new GraphQLError(error.message, { extensions: failureExtensions(error, requestId) })]
  }
  if (!(error instanceof InvalidDocument)) throw error
  return error.errors.map(({ message, nodes, source, positions }) => {
    const where = { nodes: nodes ?? null, source: source ?? null, positions: positions ?? null }
    return new GraphQLError(message, { ...where, extensions: { code: error.code, requestId } })
  })
}

function send(reply: FastifyReply, [body, { status, headers }]: Response): FastifyReply {
  reply.header('cache-control', 'no-store')
  if (headers) reply.headers(headers)
  if (body === null || status === 405 || (status === 400 && !body.includes('"extensions"'))) {
    return sendFailure(reply, protocolFailure(status, body))
  }
  return reply.code(status).send(body)
}
