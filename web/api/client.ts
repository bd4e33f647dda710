import type { TadaDocumentNode } from 'gql.tada'
import { takeEarly } from './early.ts'
import { recordRequest } from './reach.ts'

const TIMEOUT_MS = 15_000
const GRAPHQL_PATH = '/portal/graphql'

interface Details {
  code: string
  field?: string
  requestId?: string
  retryAfterSeconds?: number
  isOutcomeKnown?: boolean
}

/** An error from the portal, or no valid response from it. */
export class ApiError extends Error {
  readonly code: string
  readonly field: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined
  /** False: what was asked for may have been done all the same. */
  readonly isOutcomeKnown: boolean

  constructor(message: string, { code, field, requestId, retryAfterSeconds, isOutcomeKnown = true }: Details) {
    super(message)
    this.name = 'ApiError'
    this.code = code
    this.field = field
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
    this.isOutcomeKnown = isOutcomeKnown
  }

  /** What went wrong, for a page that knows better what to do about an unknown outcome. */
  get reason(): string {
    return this.message.replace(` ${NOT_KNOWN}`, '')
  }
}

/** One query as the signed-in person, in the organization of this slug (without one: the personal account). */
export async function request<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
  slug?: string,
): Promise<Result> {
  return (await graphql(document, { variables, slug, kind: 'reads' })).data as Result // the schema says so, and the server keeps it
}

let whenUnauthenticated: () => void = () => undefined

/** Calls it whenever a mutation is refused for want of a session. */
export function onUnauthenticated(listener: () => void): void {
  whenUnauthenticated = listener
}

/** One mutation: it is refused, which throws, or all that it asked for is there. */
export async function mutate<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
  slug?: string,
): Promise<Result> {
  const { data, status } = await graphql(document, { variables, slug, kind: 'changes' }).catch((error) => {
    if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') whenUnauthenticated()
    throw error
  })
  const fields = Object.values(data)
  if (fields.length === 0 || fields.includes(null)) throw unreadable(status, 'changes') // null only beside an error
  return data as Result
}

/** Safe to repeat. */
const REPEATABLE = ['sign-in', 'sign-out', 'invitation', 'forgot-password']

/** One call of `/auth/…`. */
export async function auth<Answer>(path: string, input: object): Promise<Answer> {
  const { body } = await send(`/auth/${path}`, input, {}, REPEATABLE.includes(path) ? 'reads' : 'changes')
  return body as Answer // as documented in docs/api.md
}

interface Call<Variables> {
  variables: Variables
  slug: string | undefined
  kind: Kind
}

async function graphql<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  { variables, slug, kind }: Call<Variables>,
): Promise<{ data: object; status: number }> {
  const query = document as unknown as string // see graphql.ts
  const headers = slug ? { 'portal-organization': slug } : {}
  const early = kind === 'reads' ? takeEarly(query, slug) : undefined
  const { body, status } = await send(GRAPHQL_PATH, { query, variables }, headers, kind, early)
  if ('data' in body && isObject(body.data)) return { data: body.data, status }
  throw unreadable(status, kind)
}

const post = (path: string, input: object, headers: Record<string, string>) =>
  fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })

async function send(
  path: string,
  input: object,
  headers: Record<string, string>,
  kind: Kind,
  early?: Promise<Response>,
) {
  const response = await (early ?? post(path, input, headers)).catch(() => undefined)
  if (!response) {
    recordRequest(false)
    throw unreachable(kind)
  }
  const { status } = response
  const body: unknown = status === 204 ? {} : await response.json().catch(() => undefined)
  recordRequest(isObject(body))
  if (!isObject(body)) throw unreadable(status, kind)
  if ('errors' in body)
    throw isErrors(body.errors)
      ? refusal(body.errors[0], response, { kind, isGraphql: path === GRAPHQL_PATH })
      : unreadable(status, kind)
  if (!response.ok) throw unreadable(status, kind)
  return { body, status }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const isErrors = (errors: unknown): errors is [RawError, ...RawError[]] =>
  Array.isArray(errors) && isObject(errors[0]) && 'message' in errors[0] && typeof errors[0].message === 'string'

/** Only a change can have taken effect although its response was lost. */
type Kind = 'reads' | 'changes'

const NOT_KNOWN = 'Your change may or may not have been saved. Check before you try again.'

/** No response. */
export const unreachable = (kind: Kind = 'reads') =>
  kind === 'reads'
    ? new ApiError('Can’t reach the portal. Check your connection and try again.', { code: 'OFFLINE' })
    : new ApiError(`Can’t reach the portal. ${NOT_KNOWN}`, { code: 'OFFLINE', isOutcomeKnown: false })

/** A response that is not the portal's: it was cut off, or a proxy sent it. */
export const unreadable = (status: number, kind: Kind) =>
  kind === 'reads'
    ? new ApiError(`Unexpected response (status ${status}). Try again in a moment.`, { code: 'UNREADABLE' })
    : new ApiError(`Unexpected response (status ${status}). ${NOT_KNOWN}`, {
        code: 'UNREADABLE',
        isOutcomeKnown: false,
      })

interface RawError {
  message: string
  /** The field; absent: the request was refused as a whole. */
  path?: unknown
  extensions?: { code?: string; field?: string; requestId?: string }
}

/** After an internal failure the outcome is unknown. */
const MAY_BE_DONE = ['UNAVAILABLE', 'INTERNAL']

/** Not what the request asks for is missing, but the organization that it is for. */
const NO_ORGANIZATION: RawError = {
  message: 'This organization no longer exists, or you are no longer in it. Nothing was changed.',
  extensions: { code: 'NO_ORGANIZATION' },
}

const NO_SESSION = { message: 'Your session has expired. Sign in again.' }

interface Refused {
  kind: Kind
  isGraphql: boolean
}

/** The portal's error, in words for people. */
function refusal(error: RawError, response: Response, { kind, isGraphql }: Refused): ApiError {
  const isOfOrganization = isGraphql && error.extensions?.code === 'NOT_FOUND' && !error.path
  const isOfSession = isGraphql && error.extensions?.code === 'UNAUTHENTICATED'
  const { message, extensions = {} } = {
    ...error,
    ...(isOfOrganization && NO_ORGANIZATION),
    ...(isOfSession && NO_SESSION),
  }
  const wait = Number(response.headers.get('retry-after'))
  const { code = 'INTERNAL', field, requestId } = extensions
  const isOutcomeKnown = kind === 'reads' || !MAY_BE_DONE.includes(code)
  const words = message.replace(/(?:for )?the time in Retry-After/, wait > 0 ? inWords(wait) : 'a moment')
  return new ApiError(isOutcomeKnown ? words : `${words} ${NOT_KNOWN}`, {
    code,
    isOutcomeKnown,
    ...(field && { field }),
    ...(requestId && { requestId }),
    ...(wait > 0 && { retryAfterSeconds: wait }),
  })
}

function inWords(seconds: number): string {
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** Whether a query is worth trying again: not when the answer was a refusal. */
export const isPassing = (error: Error): error is ApiError =>
  error instanceof ApiError && ['OFFLINE', 'UNREADABLE', 'UNAVAILABLE', 'RATE_LIMITED'].includes(error.code)
