import {
  type FieldNode,
  type FormattedExecutionResult,
  type GraphQLField,
  getArgumentValues,
  getVariableValues,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import type { FieldCall } from '../../caller/key-rules.ts'
import { lockByName } from '../../db/locks.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Log } from '../../lib/log.ts'
import type { RequestCtx } from '../builder.ts'
import { accessNamed } from '../field-access.ts'
import { fragmentsOf } from '../measure.ts'
import { endsAccess, type MutationOptions, requireSupport } from '../mutation-options.ts'
import { type Mutation, runInOneTransaction } from '../mutation-transaction.ts'
import type { Variables } from '../page-arguments.ts'
import type { Operation } from '../prepared-operations.ts'
import { runOperation } from '../run-operation.ts'
import { callerIdOf, earlierAnswer, recordAnswer, recordIfRoom } from './earlier-answers.ts'
import { createKeyedRequests, type KeyedRequest, readIdempotencyKey } from './keyed-request.ts'

interface OperationRequest {
  operation: Operation
  variables: Variables
  /** The document and the name of its operation, as they were sent. */
  sent: { query: string; operationName?: string | null | undefined }
  ctx: RequestCtx
  log: Log
}

/** Runs mutations once for all retries with the same Idempotency-Key, or as a dry run. For a query that makes no difference. */
export function createRunWithOptions(portalSecret: () => string) {
  const oneAtATime = createQueues()
  let keyedRequest: ReturnType<typeof createKeyedRequests> | undefined // made for the first one, which may create the secret

  async function run(request: OperationRequest, options: MutationOptions): Promise<FormattedExecutionResult> {
    const { operation, variables, ctx, log } = request
    if (operation.node.operation !== 'mutation') return runOperation(operation, ctx, variables, log)
    const mutation: Mutation = {
      ...request,
      fields: rootFieldsOf(operation).map((node) => definitionOf(operation, node)),
    }
    if (options.idempotencyKey === undefined) return runDry(mutation, options)
    const value = readIdempotencyKey(options.idempotencyKey)
    if (mutation.fields.length > 1) throw severalFields()
    requireSupport(mutation.fields, options)
    const callerId = callerIdOf(ctx)
    keyedRequest ??= createKeyedRequests(portalSecret())
    const keyed = keyedRequest(callerId, value, bodyOf(request, options))
    const lockName = `${callerId} ${value}`
    return oneAtATime(lockName, () => runIdempotent({ ...mutation, keyed, lockName, isDryRun: options.dryRun }))
  }

  return async (request: OperationRequest, options: MutationOptions): Promise<FormattedExecutionResult> => {
    const result = await run(request, options)
    return options.dryRun ? { ...result, extensions: { ...result.extensions, dryRun: true } } : result
  }
}

function runDry(mutation: Mutation, options: MutationOptions): Promise<FormattedExecutionResult> {
  requireSupport(mutation.fields, options)
  return runInOneTransaction(mutation, { isDryRun: true, before: async () => undefined, after: async () => {} })
}

interface IdempotentMutation extends Mutation {
  keyed: KeyedRequest
  /** Requests that may have the same record run one after the other, in all processes, by a lock of this name. */
  lockName: string
  isDryRun: boolean
}

/** The mutation and the record of its answer are in one transaction: both are there after a crash, or neither. */
function runIdempotent({ keyed, lockName, isDryRun, ...mutation }: IdempotentMutation) {
  const { ctx: outer, fields } = mutation
  const takesAccess = fields.some(endsAccess)
  return runInOneTransaction(mutation, {
    isDryRun,
    async before(ctx) {
      await lockByName(ctx.db, lockName)
      const rootCall = () => rootCallOf(mutation)
      const earlier = await earlierAnswer(ctx, keyed, { rootCall, endsAccess: takesAccess })
      if (earlier) outer.isReplayed = true
      return earlier
    },
    after: (ctx, answer) => (takesAccess ? recordIfRoom(ctx, keyed, answer) : recordAnswer(ctx, keyed, answer)),
  })
}

/** The root field, for the access of a key, which is checked again. The request has succeeded before, so its variables fit. */
function rootCallOf({ operation, variables }: Mutation): FieldCall {
  const { schema, node } = operation
  const [root] = rootFieldsOf(operation)
  if (!root) throw new Error('A mutation without a root field.')
  const field = definitionOf(operation, root)
  const { coerced } = getVariableValues(schema, node.variableDefinitions ?? [], variables)
  return { field: accessNamed(schema, field.name), id: getArgumentValues(field, root, coerced)['id'] }
}

/** The root fields of a validated operation, one for each name in the answer, also those that @skip or @include may leave out. */
function rootFieldsOf({ document, node: { selectionSet } }: Pick<Operation, 'document' | 'node'>): FieldNode[] {
  const fragments = fragmentsOf(document)
  const found = new Map<string, FieldNode>()
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value)
        if (fragment) collect(fragment.selectionSet)
      } else if (!node.name.value.startsWith('__')) found.set((node.alias ?? node.name).value, node)
    }
  }
  collect(selectionSet)
  return [...found.values()]
}

function definitionOf({ schema }: Operation, { name }: FieldNode): GraphQLField<unknown, unknown> {
  const field = schema.getMutationType()?.getFields()[name.value]
  if (!field) throw new Error('A field that validation has let through.')
  return field
}

/** What has to be the same when it is sent again. The order of the fields of an object does not matter. */
const bodyOf = ({ sent, variables, ctx }: OperationRequest, { dryRun }: MutationOptions): string =>
  JSON.stringify([sent.query, sent.operationName || null, variables, dryRun, ctx.caller.organizationId], inOrder)

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const severalFields = () =>
  new AppError('BAD_REQUEST', {
    message:
      'With an Idempotency-Key, a mutation has one field at its root, since each field is done on its own. Send one request for each, with a key of its own, or use a mutation for many, such as createDevices.',
  })

/** Runs work with the same name one after the other, in this process. It waits here without a database connection. */
function createQueues() {
  const last = new Map<string, Promise<unknown>>()
  return async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    const before = last.get(name)
    const mine = before === undefined ? work() : before.then(work, work)
    last.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.get(name) === mine) last.delete(name)
    }
  }
}
