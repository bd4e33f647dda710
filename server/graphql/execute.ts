import {
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getVariableValues,
  type VariableDefinitionNode,
} from 'graphql'
import { Failure, failureExtensions } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import { tellUnavailable } from '../lib/unavailable.ts'
import { createWatch } from '../lib/watch.ts'
import type { RequestCtx } from './builder.ts'
import { OPERATION_TIMEOUT_MS } from './limits.ts'
import type { Operation } from './operation.ts'
import type { Variables } from './page-arguments.ts'

/** Runs an operation, compiled where it is, and answers the same either way; errors come out as clients may see them. */
export async function runOperation(
  operation: Operation,
  ctx: RequestCtx,
  variables: Variables,
  log: Log,
): Promise<FormattedExecutionResult> {
  const running = runCompiled(operation, ctx, variables) ?? runPlain(operation, ctx, variables)
  const withinTime = operation.node.operation === 'mutation' ? withinTimeOfMutation : withinTimeOfQuery
  const result = running instanceof Promise ? await withinTime(running) : running
  if (!result.errors) return result as FormattedExecutionResult // which differ in their errors alone
  const { errors, ...data } = result
  const presented = errors.map((error) => presentError(error, ctx.requestId, log))
  ctx.refusals = presented.map(({ extensions }) => String(extensions?.['code']))
  return { ...data, errors: presented }
}

const MAX_MESSAGE = 300

type Running = ExecutionResult | Promise<ExecutionResult>

/** Variables that do not fit are left to plain execution: it stops at the first few, and has the better words for why. */
function runCompiled(
  { schema, node, compiled }: Operation,
  ctx: RequestCtx,
  variables: Variables,
): Running | undefined {
  const { variableDefinitions = [] } = node
  if (!compiled || (variableDefinitions.length > 0 && !doFit(schema, variableDefinitions, variables))) return undefined
  return compiled.query(undefined, ctx, variables)
}

const doFit = (schema: GraphQLSchema, definitions: readonly VariableDefinitionNode[], variables: Variables) =>
  !getVariableValues(schema, definitions, variables, { maxErrors: 1 }).errors

const runPlain = ({ schema, document, node }: Operation, ctx: RequestCtx, variables: Variables): Running =>
  execute({
    schema,
    document,
    contextValue: ctx,
    variableValues: variables,
    ...(node.name && { operationName: node.name.value }),
  })

const withinTimeOfQuery = createWatch(
  OPERATION_TIMEOUT_MS,
  () => new Failure('UNAVAILABLE', { says: 'The operation took too long.', retryAfterSeconds: 1 }),
)

/** What was begun goes on, so nobody is asked to try again. */
const withinTimeOfMutation = createWatch(
  OPERATION_TIMEOUT_MS,
  () =>
    new Failure('UNAVAILABLE', {
      says: 'The mutation took too long. It may have been done: look before you try again.',
    }),
)

/** A failure with its code, a value that does not fit as bad input, and everything else masked and logged. */
function presentError(error: GraphQLError, requestId: string, log: Log): GraphQLFormattedError {
  const { originalError, message, locations, path } = error
  const failure = originalError instanceof Failure ? originalError : misfit(error)
  if (!failure) log.error({ requestId, path, err: originalError ?? message }, 'bug')
  if (failure?.code === 'UNAVAILABLE') tellUnavailable(log, failure, requestId)
  const shown = failure ?? new Failure('INTERNAL')
  return {
    message: shown.message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: failureExtensions(shown, requestId),
  }
}

/** GraphQL's own words for a variable or an argument that does not fit its type; they may repeat what was sent. */
function misfit({ message, path, originalError }: GraphQLError): Failure | undefined {
  if (originalError && !(originalError instanceof GraphQLError)) return undefined
  const named = /^(?:Argument "(?<argument>\w+)"|Variable "\$(?<variable>\w+)")(?:.* at "(?<inside>[\w.[\]]+)")?/s.exec(
    message,
  )
  if (path !== undefined && !named) return undefined
  const { argument, variable, inside } = named?.groups ?? {}
  const field = inside ?? variable ?? argument
  const says = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
  return new Failure('BAD_USER_INPUT', { says, ...(field !== undefined && { field }) })
}
