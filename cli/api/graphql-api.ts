import { AppError, ERRORS, type ErrorCode } from '../../server/lib/app-error.ts'
import { newUuid } from '../../server/lib/random.ts'

/** One GraphQL operation. */
export interface Operation {
  query: string
  variables?: Record<string, unknown> | undefined
  operationName?: string | undefined
  /** A write that is safe to repeat: only for a mutation with one root field. */
  idempotencyKey?: string | undefined
}

export interface ResultError {
  message: string
  path?: readonly (string | number)[]
  extensions?: Readonly<Record<string, unknown>>
}

export interface Result {
  data?: Record<string, unknown> | null
  errors?: readonly ResultError[]
  extensions?: Readonly<Record<string, unknown>>
}

/** The API of a portal: through HTTP with a key, or on the database of this machine as the operator. */
export interface Api {
  request(operation: Operation): Promise<Result>
}

/** The data of an operation that has to succeed as a whole; throws all of its errors at once. */
export async function dataOf<Data>(api: Api, operation: Operation): Promise<Data> {
  const { data, errors = [] } = await api.request(operation)
  const [first, ...others] = errors
  if (first) throw errorFrom(first, others) // several fields of an input may be wrong
  return data as Data // the shape of the document, which the caller names
}

/** A mutation with one root field: repeating it when the portal cannot answer does it once. */
export const write = <Data>(api: Api, query: string, variables: Record<string, unknown>): Promise<Data> =>
  dataOf<Data>(api, { query, variables, idempotencyKey: newUuid() })

/** An error of the API as one of our own, so that a command ends as it does without the API. */
export function errorFrom({ message, extensions = {} }: ResultError, others: readonly ResultError[] = []): AppError {
  const { code, field } = extensions
  const known = typeof code === 'string' && Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'INTERNAL'
  return new AppError(known, {
    message,
    ...(typeof field === 'string' && { field }),
    ...(others.length > 0 && { others: others.map((each) => errorFrom(each)) }),
  })
}
