import {
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  getVariableValues,
} from 'graphql'
import { AppError, allErrorsIn, errorExtensions } from '../lib/app-error.ts'
import type { Log } from '../lib/log.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { logUnavailable } from '../lib/unavailable.ts'
import type { RequestCtx } from './builder.ts'
import { createDeadlines } from './deadlines.ts'
import { MAX_ANSWER_CHARACTERS, MAX_REPORTED_VARIABLE_ERRORS, OPERATION_TIMEOUT_MS } from './limits.ts'
import type { Operation } from './operation.ts'
import type { Variables } from './page-arguments.ts'
import { runPlan } from './run-plan.ts'

/**
 * Runs an operation; errors come out as clients may see them. Unlimited: for whoever sees to it that it does not take too
 * long.
 */
export function runOperation(
  operation: Operation,
  ctx: RequestCtx,
  variables: Variables,
  log: Log,
  { isLimited = true } = {},
): MaybePromise<FormattedExecutionResult> {
  const running = run(operation, ctx, variables)
  const { node, longFromCost } = operation
  const mayBeLong = node.operation === 'query' && ctx.cost >= longFromCost
  const presented = (result: ExecutionResult) => present(mayBeLong ? notTooLong(result) : result, ctx, log)
  if (!(running instanceof Promise)) return presented(running)
  const withinTime = node.operation === 'mutation' ? withinTimeOfMutation : withinTimeOfQuery
  return (isLimited ? withinTime(running) : running).then(presented)
}

function run(operation: Operation, ctx: RequestCtx, variables: Variables): MaybePromise<ExecutionResult> {
  const { schema, document, node, plan } = operation
  const values = coercedVariables(operation, variables)
  if (values.errors) return { errors: values.errors }
  if (plan) return runPlan(plan, operation, ctx, values.coerced)
  const operationName = node.name?.value ?? null
  return execute({ schema, document, contextValue: ctx, variableValues: variables, operationName })
}

const NO_VARIABLES = { coerced: {}, errors: undefined }

/** The first values that do not fit are reported. Execution would report fifty, and print everything around each value. */
function coercedVariables({ schema, node: { variableDefinitions = [] } }: Operation, variables: Variables) {
  if (variableDefinitions.length === 0) return NO_VARIABLES
  const maxErrors = MAX_REPORTED_VARIABLE_ERRORS
  const { coerced, errors } = getVariableValues(schema, variableDefinitions, variables, { maxErrors })
  if (errors) return { errors: errors.slice(0, maxErrors) } // one more only says that there are more
  return { coerced, errors: undefined }
}

function present(result: ExecutionResult, ctx: RequestCtx, log: Log): FormattedExecutionResult {
  if (!result.errors) return result as FormattedExecutionResult // the two types differ in their errors alone
  const { errors, ...data } = result
  const presented = errors.flatMap((error) => presentError(error, ctx.requestId, log))
  ctx.refusals = presented.map(({ extensions }) => String(extensions?.['code']))
  return { ...data, errors: presented }
}

/** Writing it would stop everybody else for a while. */
function notTooLong(result: ExecutionResult): ExecutionResult {
  if (!isLongerThan(MAX_ANSWER_CHARACTERS, result.data)) return result
  const message = `The answer is longer than ${MAX_ANSWER_CHARACTERS} characters. Request fewer fields or smaller pages.`
  return { errors: [new GraphQLError('', { originalError: new AppError('QUERY_TOO_COMPLEX', { message }) })] }
}

/** Whether a value is longer as JSON, roughly: counted until that is known. */
function isLongerThan(most: number, value: unknown): boolean {
  let left = most
  const count = (part: unknown): void => {
    if (typeof part === 'string') left -= part.length
    else if (Array.isArray(part)) for (const each of part) count(each)
    else if (part !== null && typeof part === 'object')
      for (const name in part) {
        left -= name.length
        if (left < 0) return
        count((part as Record<string, unknown>)[name]) // no prototype has fields of its own: it is an answer of GraphQL
      }
    left -= 4 // quotes, a colon, a comma
  }
  count(value)
  return left < 0
}

const withinTimeOfQuery = createDeadlines(
  OPERATION_TIMEOUT_MS,
  () => new AppError('UNAVAILABLE', { message: 'The operation took too long.', retryAfterSeconds: 1 }),
)

/** What was started goes on for a while: a client that tries again is to find its result. */
const RETRY_MUTATION_AFTER_SECONDS = 5

export const withinTimeOfMutation = createDeadlines(
  OPERATION_TIMEOUT_MS,
  () =>
    new AppError('UNAVAILABLE', {
      message: 'The mutation took too long. It may have succeeded: check before you try again.',
      retryAfterSeconds: RETRY_MUTATION_AFTER_SECONDS,
    }),
)

/**
 * An AppError with its code and those that were found with it, a value that does not fit as bad input, and everything
 * else masked and logged.
 */
function presentError(error: GraphQLError, requestId: string, log: Log): GraphQLFormattedError[] {
  const { originalError, message, locations, path } = error
  const failure = originalError instanceof AppError ? originalError : badInputFrom(error)
  if (!failure) log.error({ requestId, path, err: originalError ?? message }, 'bug')
  if (failure?.code === 'UNAVAILABLE') logUnavailable(log, failure, requestId)
  return allErrorsIn(failure ?? new AppError('INTERNAL')).map((shown) => ({
    message: shown.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: errorExtensions(shown, requestId),
  }))
}

/** GraphQL's own messages for a variable or an argument that does not fit its type; they may repeat what was sent. */
function badInputFrom({ message, path, originalError }: GraphQLError): AppError | undefined {
  if (originalError && !(originalError instanceof GraphQLError)) return undefined
  const named = /^(?:Argument "(?<argument>\w+)"|Variable "\$(?<variable>\w+)")(?:.* at "(?<inside>[\w.[\]]+)")?/s.exec(
    message,
  )
  if (path !== undefined && !named) return undefined
  const { argument, variable, inside } = named?.groups ?? {}
  const field = inside ?? variable ?? argument
  return new AppError('BAD_USER_INPUT', { message: shortMessage(message), ...(field !== undefined && { field }) })
}

const MAX_MESSAGE = 300

/** What GraphQL's own errors say; they may repeat what was sent. */
export const shortMessage = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE).toWellFormed()}…` : message
