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
import { logUnavailable } from '../lib/unavailable.ts'
import { within } from '../lib/within.ts'
import type { RequestCtx } from './builder.ts'
import { isLongerThan } from './length.ts'
import { MAX_ANSWER_CHARACTERS, MAX_REPORTED_VARIABLE_ERRORS, OPERATION_TIMEOUT_MS } from './operation-limits.ts'
import type { Variables } from './page-arguments.ts'
import type { Operation } from './prepared-operations.ts'
import { runPlan } from './run-plan.ts'

/** Runs an operation; errors come out as clients may see them. Unlimited: for whoever sees to it that it does not take too long. */
export async function runOperation(
  operation: Operation,
  ctx: RequestCtx,
  variables: Variables,
  log: Log,
  { isLimited = true } = {},
): Promise<FormattedExecutionResult> {
  const { node, longFromCost } = operation
  const isQuery = node.operation === 'query'
  const running = run(operation, ctx, variables)
  const ran = await (isLimited ? within(OPERATION_TIMEOUT_MS, running, isQuery ? lateQuery : lateMutation) : running)
  const { errors, ...data } = isQuery && ctx.cost >= longFromCost ? notTooLong(ran) : ran
  if (!errors) return data
  const presented = errors.flatMap((error) => presentError(error, ctx.requestId, log))
  ctx.refusals = presented.map(({ extensions }) => String(extensions?.['code']))
  return { ...data, errors: presented }
}

const maxErrors = MAX_REPORTED_VARIABLE_ERRORS

/** Variables are coerced once. The first that do not fit are reported: one more only says that there are more. */
async function run(operation: Operation, ctx: RequestCtx, variables: Variables): Promise<ExecutionResult> {
  const { schema, document, node, plan } = operation
  if (plan) {
    const { variableDefinitions: definitions = [] } = node
    const { coerced, errors } = getVariableValues(schema, definitions, variables, { maxErrors })
    return coerced ? runPlan(plan, operation, ctx, coerced) : { errors: errors.slice(0, maxErrors) }
  }
  const operationName = node.name?.value ?? null
  const options = { maxCoercionErrors: maxErrors }
  const ran = await execute({ schema, document, contextValue: ctx, variableValues: variables, operationName, options })
  return 'data' in ran ? ran : { errors: ran.errors?.slice(0, maxErrors) ?? [] }
}

/** Writing it would stop everybody else for a while. */
function notTooLong(result: ExecutionResult): ExecutionResult {
  if (!isLongerThan(MAX_ANSWER_CHARACTERS, result.data)) return result
  const message = `The answer is longer than ${MAX_ANSWER_CHARACTERS} characters. Request fewer fields or smaller pages.`
  return { errors: [new GraphQLError('', { originalError: new AppError('QUERY_TOO_COMPLEX', { message }) })] }
}

const lateQuery = () => new AppError('UNAVAILABLE', { message: 'The operation took too long.', retryAfterSeconds: 1 })

/** What was started goes on for a while: a client that tries again is to find its result. */
const RETRY_MUTATION_AFTER_SECONDS = 5

export const lateMutation = () =>
  new AppError('UNAVAILABLE', {
    message: 'The mutation took too long. It may have succeeded: check before you try again.',
    retryAfterSeconds: RETRY_MUTATION_AFTER_SECONDS,
  })

/** An AppError with those that were found with it, a value that does not fit as bad input, and everything else masked and logged. */
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
