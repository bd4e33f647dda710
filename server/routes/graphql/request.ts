import { parseRequestParams } from 'graphql-http'
import type { Variables } from '../../graphql/page-arguments.ts'
import type { HttpCall } from '../../http/http-io.ts'
import { acceptedType, JSON_NAME } from '../../http/media-type.ts'
import { AppError } from '../../lib/app-error.ts'

/** What a client asks for. */
export interface GraphqlRequest {
  query: string
  operationName?: string | null | undefined
  variables?: Variables | null | undefined
  extensions?: Readonly<Record<string, unknown>> | null | undefined
}

/** Reads what a client asks for, as GraphQL over HTTP has it; a request that is not like that is refused with what to send. */
export async function readRequest(call: HttpCall): Promise<GraphqlRequest> {
  if (acceptedType(call.headers.accept) === undefined) throw refusedFor(406)
  if (call.body !== null && /^\s*\[/.test(call.body)) throw new AppError('BAD_REQUEST', { message: BATCH })
  const read = await parseRequestParams({ ...call, raw: undefined, context: undefined }).catch((error: Error) => {
    throw notGraphql(error.message, call)
  })
  if ('query' in read) return read
  throw refusedFor(read[1].status)
}

/** A mutation by GET, which links and caches send too. */
export const refusedByGet = (): AppError => refusedFor(405, 'POST')

function refusedFor(status: number, allow = 'GET, POST'): AppError {
  const message = STATUS_MESSAGES[status] ?? NOT_GRAPHQL
  return new AppError('BAD_REQUEST', { status, message, ...(status === 405 && { headers: { allow } }) })
}

const STATUS_MESSAGES: Record<number, string> = {
  405: 'Use POST; GET is for queries only.',
  406: 'Accept application/json or application/graphql-response+json.',
  415: 'Send JSON, with Content-Type: application/json.',
}

const NOT_GRAPHQL = 'Not a GraphQL request: POST a JSON object such as {"query":"{ viewer { role } }"}.'

const BATCH =
  'Batches are off: POST one JSON object, not an array. Put several fields into one operation, or send requests at the same time, which is cheap over a connection that stays open.'

/** Where the words of the library do not say what to send. PHP, for one, writes an empty array as a list. */
const PART_MESSAGES: Record<string, string> = {
  'Invalid variables':
    'Send variables as a JSON object such as {"first": 10}, or leave them out: not a list, not a text.',
  'Unparsable URL':
    'The variables or extensions in the address are no JSON: send an object such as variables={"first":10}, percent-encoded.',
  'Invalid extensions': 'Send extensions as a JSON object such as {"dryRun": true}, or leave them out.',
}

/** By these words Apollo Client, urql and others know that they have to send the document, and do so from then on. */
const NO_PERSISTED_QUERIES = 'PersistedQueryNotSupported'

/**
 * The error for a request without a GraphQL document. One with the hash of a document in its place is answered as an
 * invalid document is: some clients read plain JSON only with 200.
 */
function notGraphql(said: string, { headers, body, url }: HttpCall): AppError {
  if (said === 'Missing query' && (body ?? url).includes('persistedQuery')) {
    const status = acceptedType(headers.accept) === JSON_NAME ? 200 : 400
    return new AppError('BAD_REQUEST', { status, message: NO_PERSISTED_QUERIES })
  }
  const message = PART_MESSAGES[said] ?? `${said}: POST a JSON object such as {"query":"{ viewer { role } }"}.`
  return new AppError('BAD_REQUEST', { message })
}
