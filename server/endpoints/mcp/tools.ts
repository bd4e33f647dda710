import type { IncomingHttpHeaders } from 'node:http'
import type { FormattedExecutionResult, GraphQLSchema } from 'graphql'
import type { RequestCtx } from '../../graphql/builder.ts'
import { createSchemaSearch } from '../../graphql/schema-search.ts'
import { errorAnswer, toAppError } from '../../http/error-response.ts'
import type { Log } from '../../lib/log.ts'
import type { Graphql } from '../graphql/answer.ts'
import { checkInput } from './check-input.ts'

const DEFAULT_MATCHES = 10
const MAX_MATCHES = 25

/** What a tool answers: one text, as the protocol's clients show it to a model. */
interface ToolResult {
  content: { type: 'text'; text: string }[]
  isError?: boolean
}

interface SearchInput {
  query: string
  first?: number
  offset?: number
}

interface ExecuteInput {
  document: string
  variables?: Record<string, unknown>
  operationName?: string
  dryRun?: boolean
}

export const SEARCH_SCHEMA = {
  name: 'search_schema',
  title: 'Search the schema',
  description:
    'Finds types, fields and arguments of the GraphQL API of this portal (devices, API keys, people, policy, audit log) by words. Answers with signatures and descriptions. Root fields are named Query.… and Mutation.…: use them in a document for the tool execute.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 200, description: 'Words, such as "create device".' },
      first: { type: 'integer', minimum: 1, maximum: MAX_MATCHES, description: `Default ${DEFAULT_MATCHES}.` },
      offset: { type: 'integer', minimum: 0, maximum: 10_000, description: 'How many matches to skip. Default 0.' },
    },
    required: ['query'],
    additionalProperties: false,
  },
} as const

export const EXECUTE = {
  name: 'execute',
  title: 'Execute an operation',
  description:
    'Executes a GraphQL document with the access of the API key, in its organization, and answers with the JSON result: data, and errors with a code each. A query reads; a mutation changes data at once, so confirm it with the person first unless they asked for it; with dryRun it changes nothing, and answers with what would have been. Lists have data, pageInfo { hasNextPage endCursor } and the arguments first (at most 500) and after. Find fields with search_schema.',
  inputSchema: {
    type: 'object',
    properties: {
      document: {
        type: 'string',
        minLength: 1,
        description: 'The GraphQL document, such as "{ devices(first: 5) { data { id name } } }".',
      },
      variables: { type: 'object', additionalProperties: true, description: 'Values of the variables.' },
      operationName: { type: 'string', description: 'Which operation, if the document has several.' },
      dryRun: { type: 'boolean', description: 'True: a mutation is tried and rolled back. Default false.' },
    },
    required: ['document'],
    additionalProperties: false,
  },
} as const

/** The two tools, for a caller whose key was accepted for this very request. */
export function createTools(schema: GraphQLSchema, { findOperation, execute }: Graphql, log: Log) {
  let search: ReturnType<typeof createSchemaSearch> | undefined // made at the first search

  function searchSchema({ query, first = DEFAULT_MATCHES, offset = 0 }: SearchInput, ctx: RequestCtx): ToolResult {
    ctx.operation = SEARCH_SCHEMA.name
    search ??= createSchemaSearch(schema)
    const { matches, total } = search(query, { first, offset })
    if (matches.length === 0) return text('Nothing matches. Try fewer or other words, such as "device" or "API key".')
    const next = offset + matches.length
    const more = next < total ? [`${total - next} more: call again with offset ${next}.`] : []
    return text([...matches.map(({ signature, description }) => `${signature}\n${description}`), ...more].join('\n\n'))
  }

  /** Runs as a POST to `/graphql` would: the same limits, costs and checks. */
  async function executeDocument(input: ExecuteInput, ctx: RequestCtx, headers: IncomingHttpHeaders) {
    const { document: query, variables, operationName, dryRun } = input
    const extensions = dryRun === undefined ? undefined : { dryRun }
    const found = await findOperation({ query, variables, operationName, extensions }, ctx)
    const result = 'errors' in found ? found : await execute(found, ctx, headers)
    return { ...text(JSON.stringify(result)), isError: hasNoData(result) }
  }

  /** Undefined: there is no tool of this name. */
  function toolOf({ name, arguments: input }: Record<string, unknown>) {
    if (name === SEARCH_SCHEMA.name)
      return (ctx: RequestCtx) => searchSchema(checkInput<SearchInput>(SEARCH_SCHEMA.inputSchema, input), ctx)
    if (name !== EXECUTE.name) return undefined
    return (ctx: RequestCtx, headers: IncomingHttpHeaders) =>
      executeDocument(checkInput<ExecuteInput>(EXECUTE.inputSchema, input), ctx, headers)
  }

  return async function call(
    params: Record<string, unknown>,
    ctx: RequestCtx,
    headers: IncomingHttpHeaders,
  ): Promise<ToolResult | undefined> {
    try {
      return await toolOf(params)?.(ctx, headers)
    } catch (error) {
      const shown = toAppError(error, log)
      if (shown.code === 'RATE_LIMITED') throw shown // the route answers it as for /graphql: 429, and counted as refused
      ctx.refusals = [shown.code]
      return { ...text(String(errorAnswer(shown, ctx.requestId).body)), isError: true }
    }
  }
}

const text = (words: string): ToolResult => ({ content: [{ type: 'text', text: words }] })

/** An answer with errors beside data is one that a model can use. */
const hasNoData = ({ data, errors }: FormattedExecutionResult) =>
  errors !== undefined && Object.values(data ?? {}).every((value) => value === null)
