import type { TadaDocumentNode } from 'gql.tada'

/** A refusal, as the portal words it. */
export class ApiError extends Error {
  readonly code: string
  readonly field: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(
    message: string,
    details: { code: string; field?: string; requestId?: string; retryAfterSeconds?: number },
  ) {
    super(message)
    this.name = 'ApiError'
    this.code = details.code
    this.field = details.field
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

interface RawError {
  message: string
  extensions?: { code?: string; field?: string; requestId?: string }
}

const TIMEOUT_MS = 15_000

/** One GraphQL operation as the signed-in person, in the organization of this slug (without one: the personal account). */
export async function request<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
  slug?: string,
): Promise<Result> {
  const query = document as unknown as string // see graphql.ts
  const body = await send('/portal/graphql', { query, variables }, slug ? { 'portal-organization': slug } : {})
  return body.data as Result // the schema says so, and the server keeps it
}

/** One mutation: it is refused, which throws, or all that it asked for is there. */
export async function mutate<Result, Variables>(
  document: TadaDocumentNode<Result, Variables>,
  variables: Variables,
  slug?: string,
): Promise<Answered<Result>> {
  return (await request(document, variables, slug)) as Answered<Result> // null only beside an error, which was thrown
}

type Answered<Result> = { [Field in keyof Result]: NonNullable<Result[Field]> }

/** One call of `/auth/…`. */
export async function auth<Answer>(path: string, input: object): Promise<Answer> {
  return (await send(`/auth/${path}`, input, {})) as Answer // as documented in docs/api.md
}

async function send(path: string, input: object, headers: Record<string, string>): Promise<{ data?: unknown }> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw unreachable()
  })
  const body = (await response.json().catch(() => ({}))) as { data?: unknown; errors?: RawError[] }
  const [error] = body.errors ?? []
  if (error) throw refusal(error, response)
  if (!response.ok) throw new ApiError(`The portal answered ${response.status}.`, { code: 'INTERNAL' })
  return body
}

export const unreachable = () =>
  new ApiError('The portal cannot be reached. Check the connection and try again.', { code: 'OFFLINE' })

/** Whether anybody answers at all. */
export const isReachable = () =>
  fetch('/health/live', { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )

function refusal({ message, extensions = {} }: RawError, response: Response): ApiError {
  const wait = Number(response.headers.get('retry-after'))
  const { code = 'INTERNAL', field, requestId } = extensions
  return new ApiError(wait > 0 ? message.replace('as long as Retry-After says', inWords(wait)) : message, {
    code,
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
export const isPassing = (error: Error) =>
  error instanceof ApiError && ['OFFLINE', 'UNAVAILABLE', 'RATE_LIMITED'].includes(error.code)
