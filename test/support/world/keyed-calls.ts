import { randomUUID } from 'node:crypto'
import type { Person, TestOrganization, World } from './world.ts'

export interface KeyedAnswer {
  status: number
  /** The answer as it was sent. */
  text: string
  body: {
    data?: Record<string, unknown> | null
    errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
    extensions?: Record<string, unknown>
  }
  isReplayed: boolean
}

export interface Request {
  query: string
  variables?: object
  operationName?: string
  extensions?: object | null
}

export type Send = (request: Request, headers?: Record<string, string>) => Promise<KeyedAnswer>

/** A request with whatever headers and extensions it is to have. */
async function sendTo(url: string, request: Request, headers: Record<string, string>): Promise<KeyedAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(request),
  })
  const text = await response.text()
  const isReplayed = response.headers.get('idempotency-replayed') === 'true'
  return { status: response.status, text, body: JSON.parse(text), isReplayed }
}

export const byKey =
  ({ url }: Pick<World, 'url'>, secret: string): Send =>
  (request, headers) =>
    sendTo(`${url}/graphql`, request, { 'api-secret': secret, ...headers })

export const byPerson =
  ({ url }: Pick<World, 'url'>, { cookie }: Person, { slug }: Pick<TestOrganization, 'slug'>): Send =>
  (request, headers) =>
    sendTo(`${url}/portal/graphql`, request, { cookie, 'portal-organization': slug, ...headers })

/** A header that was sent with nothing else. */
export const newHeader = () => ({ 'idempotency-key': randomUUID() })

export const codesIn = ({ body }: KeyedAnswer) => (body.errors ?? []).map(({ extensions }) => extensions['code'])

/** What its one root field answers with. */
export function dataOf<Data>({ body }: KeyedAnswer): Data {
  const [data] = Object.values(body.data ?? {})
  if (data == null) throw new Error(`No data: ${JSON.stringify(body)}`)
  return data as Data // the test names it
}
