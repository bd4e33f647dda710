import type { Variables } from '../../graphql/page-arguments.ts'
import type { HttpCall } from '../../http/body.ts'
import { acceptedType, JSON_NAME } from '../../http/media-type.ts'
import { AppError } from '../../lib/app-error.ts'
import { isObject } from '../../lib/is-object.ts'

/** What a client asks for. */
export interface GraphqlRequest {
  query: string
  operationName?: string | null | undefined
  variables?: Variables | null | undefined
  extensions?: Readonly<Record<string, unknown>> | null | undefined
}

/** Reads what a client asks for, as GraphQL over HTTP has it; a request that is not like that is refused with what to send. */
export function readRequest(call: HttpCall): GraphqlRequest {
  if (acceptedType(call.headers.accept) === undefined) throw refusedFor(406)
  const { query, operationName, variables, extensions } = call.method === 'GET' ? inAddress(call.url) : inBody(call)
  if (query == null) throw missingQuery(call)
  if (typeof query !== 'string') throw notGraphql('Invalid query')
  if (operationName != null && typeof operationName !== 'string') throw notGraphql('Invalid operationName')
  if (variables != null && !isObject(variables)) throw new AppError('BAD_REQUEST', { message: NO_VARIABLES })
  if (extensions != null && !isObject(extensions)) throw new AppError('BAD_REQUEST', { message: NO_EXTENSIONS })
  return { query, operationName, variables, extensions }
}

type Sent = Partial<Record<keyof GraphqlRequest, unknown>>

function inBody({ method, headers, body }: HttpCall): Sent {
  if (method !== 'POST') throw refusedFor(405)
  if (body === null || OTHER_CHARSET.test(headers['content-type'] ?? '')) throw refusedFor(415)
  if (body === '') throw notGraphql('Missing body')
  let sent: unknown
  try {
    sent = JSON.parse(body)
  } catch {
    throw notGraphql('Unparsable JSON body')
  }
  if (Array.isArray(sent)) throw new AppError('BAD_REQUEST', { message: BATCH })
  if (typeof sent !== 'object' || sent === null) throw notGraphql('JSON body must be an object')
  return sent
}

const OTHER_CHARSET = /;\s*charset=(?!"?utf-?8"?\s*(?:;|$))/i

function inAddress(url: string): Sent {
  const [, ...search] = url.split('?') // a document may contain question marks
  const given = new URLSearchParams(search.join('?'))
  const inJson = (name: 'variables' | 'extensions') => JSON.parse(given.get(name) || 'null')
  const [query, operationName] = [given.get('query'), given.get('operationName')]
  try {
    return { query, operationName, variables: inJson('variables'), extensions: inJson('extensions') }
  } catch {
    throw new AppError('BAD_REQUEST', { message: NO_JSON_IN_ADDRESS })
  }
}

/** A mutation by GET, which links and caches send too. */
export const refusedByGet = (): AppError => refusedFor(405, 'POST')

const STATUS_MESSAGES = {
  405: 'Use POST; GET is for queries only.',
  406: 'Accept application/json or application/graphql-response+json.',
  415: 'Send JSON, with Content-Type: application/json.',
}

function refusedFor(status: keyof typeof STATUS_MESSAGES, allow = 'GET, POST'): AppError {
  const headers = status === 405 ? { allow } : {}
  return new AppError('BAD_REQUEST', { status, message: STATUS_MESSAGES[status], headers })
}

const BATCH =
  'Batches are off: POST one JSON object, not an array. Put several fields into one operation, or send requests at the same time, which is cheap over a connection that stays open.'

/** PHP, for one, writes an empty array as a list. */
const NO_VARIABLES = 'Send variables as a JSON object such as {"first": 10}, or leave them out: not a list, not a text.'
const NO_EXTENSIONS = 'Send extensions as a JSON object such as {"dryRun": true}, or leave them out.'
const NO_JSON_IN_ADDRESS =
  'The variables or extensions in the address are no JSON: send an object such as variables={"first":10}, percent-encoded.'

const notGraphql = (what: string) =>
  new AppError('BAD_REQUEST', { message: `${what}: POST a JSON object such as {"query":"{ viewer { role } }"}.` })

/** By these words Apollo Client, urql and others know that they have to send the document, and do so from then on. */
const NO_PERSISTED_QUERIES = 'PersistedQueryNotSupported'

/**
 * The error for a request without a GraphQL document. One with the hash of a document in its place is answered as an
 * invalid document is: some clients read plain JSON only with 200.
 */
function missingQuery({ headers, body, url }: HttpCall): AppError {
  if (!(body ?? url).includes('persistedQuery')) return notGraphql('Missing query')
  const status = acceptedType(headers.accept) === JSON_NAME ? 200 : 400
  return new AppError('BAD_REQUEST', { status, message: NO_PERSISTED_QUERIES })
}
