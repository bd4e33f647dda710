export interface AnswerError {
  message: string
  code: string
  field?: string
  path?: (string | number)[]
  extensions: Record<string, unknown>
}

/** What a GraphQL call came back with; `data` is left for the test to name. */
export interface Answer {
  status: number
  data: unknown
  errors: AnswerError[]
  headers: Headers
}

export interface Posted {
  status: number
  body: unknown
  headers: Headers
  /** The session cookie that came back, as a client sends it. */
  cookie: string | undefined
}

/** One GraphQL call over real HTTP. */
export async function call(
  url: string,
  headers: Record<string, string>,
  query: string,
  variables: object = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
  const body = (await response.json()) as { data?: unknown; errors?: RawError[] } // the shape under test
  const errors = (body.errors ?? []).map(({ message, path, extensions = {} }) => ({
    message,
    code: String(extensions['code']),
    ...(typeof extensions['field'] === 'string' && { field: extensions['field'] }),
    ...(path && { path }),
    extensions,
  }))
  return { status: response.status, data: body.data, errors, headers: response.headers }
}

interface RawError {
  message: string
  path?: (string | number)[]
  extensions?: Record<string, unknown>
}

export async function post(
  url: string,
  body: unknown,
  { cookie, headers = {} }: { cookie?: string; headers?: Record<string, string> } = {},
): Promise<Posted> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie && { cookie }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0],
  }
}
