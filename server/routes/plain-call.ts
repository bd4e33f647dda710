import type { Variables } from '../graphql/page-arguments.ts'
import type { HttpCall } from '../http/http-io.ts'
import { isObject } from '../lib/is-object.ts'

const JSON_TYPES = new Set(['application/json', 'application/json; charset=utf-8'])
const ACCEPTED = new Set([undefined, '*/*', 'application/json'])

/** What a client requests, as in the body. */
export interface PlainCall {
  query: string
  operationName?: string | null | undefined
  variables?: Variables | null | undefined
  extensions?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * Parses the request that nearly every client sends: JSON by POST, with JSON accepted. Anything else, and anything
 * invalid, is left to the library, which knows the whole protocol and its error messages.
 */
export function plainCall({ method, headers, body }: HttpCall): PlainCall | undefined {
  if (method !== 'POST' || body === null) return undefined
  if (!JSON_TYPES.has(headers['content-type'] ?? '') || !ACCEPTED.has(headers.accept)) return undefined
  const call = parse(body)
  return isCall(call) ? call : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isCall(value: unknown): value is PlainCall {
  if (!isObject(value)) return false
  const { query, operationName, variables, extensions } = value
  return (
    typeof query === 'string' &&
    (operationName == null || typeof operationName === 'string') &&
    (variables == null || isObject(variables)) &&
    (extensions == null || isObject(extensions))
  )
}
