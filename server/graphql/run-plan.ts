import {
  defaultFieldResolver,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLLeafType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isLeafType,
  isListType,
  isNonNullType,
  locatedError,
} from 'graphql'
import type { RequestCtx } from './builder.ts'
import type { Operation } from './operation.ts'
import type { Plan, PlannedField } from './plan.ts'

type Path = GraphQLResolveInfo['path']
/** Of a field its response key, of an item of a list its index. */
type Key = string | number

/** One execution. */
interface Run {
  readonly operation: Operation
  readonly plan: Plan
  readonly ctx: RequestCtx
  readonly variables: Record<string, unknown>
  readonly errors: GraphQLError[]
}

/**
 * Runs a planned query. It answers as graphql-js does, errors included, in a third of its time: nothing is collected from
 * the document, and no value gets a promise that it does not need. The variables are coerced.
 */
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
      const value = readField(new FieldInfo(run, planned, path), source)
      values[planned.key] = value // at its place in the order of the document, also if it comes later
      if (value instanceof Promise) later.push(value.then((read) => (values[planned.key] = read)))
    }
  } catch (error) {
    return afterAll(later, error)
  }
  return later.length === 0 ? values : Promise.all(later).then(() => values)
}

function readField(info: FieldInfo, source: unknown): unknown {
  const { run, planned, parentPath } = info
  const { key, field, nodes } = planned
  try {
    const args = planned.args ?? getArgumentValues(field, nodes[0], run.variables)
    const value = (field.resolve ?? defaultFieldResolver)(source, args, run.ctx, info)
    return orNull(info, field.type, complete(info, field.type, value, parentPath, key), parentPath, key)
  } catch (error) {
    return failed(info, field.type, error, parentPath, key)
  }
}

function orNull(info: FieldInfo, type: GraphQLOutputType, value: unknown, prev: Path | undefined, key: Key): unknown {
  return value instanceof Promise ? value.catch((error) => failed(info, type, error, prev, key)) : value
}

/** Null, and an error in the answer; where a value must not be null, throws the error to what is around it. */
function failed(info: FieldInfo, type: GraphQLOutputType, reason: unknown, prev: Path | undefined, key: Key): null {
  const error = locatedError(reason, info.fieldNodes, keysTo(prev, key))
  if (isNonNullType(type)) throw error
  info.run.errors.push(error)
  return null
}

/** A value as it is sent, at the place `key` of what is around it. */
function complete(info: FieldInfo, type: GraphQLOutputType, value: unknown, prev: Path | undefined, key: Key): unknown {
  if (isThenable(value)) return Promise.resolve(value).then((read) => complete(info, type, read, prev, key))
  if (value instanceof Error) throw value
  if (isNonNullType(type)) {
    if (value == null)
      throw new Error(`Cannot return null for non-nullable field ${info.parentType.name}.${info.fieldName}.`)
    return complete(info, type.ofType, value, prev, key)
  }
  if (value == null) return null
  if (isLeafType(type)) return serialized(type, value)
  const path = { prev, key, typename: typeof key === 'string' ? info.parentType.name : undefined }
  return isListType(type)
    ? completeList(info, type.ofType, value, path)
    : readFields(info.run, info.planned.below, value, path)
}

function completeList(info: FieldInfo, type: GraphQLOutputType, list: unknown, path: Path): unknown {
  if (typeof list !== 'object' || list === null || !(Symbol.iterator in list))
    throw new Error(`Expected a list for field ${info.parentType.name}.${info.fieldName}.`)
  const values: unknown[] = []
  try {
    for (const item of list as Iterable<unknown>) values.push(completeItem(info, type, item, path, values.length))
  } catch (error) {
    return afterAll(values, error)
  }
  return values.some((item) => item instanceof Promise) ? Promise.all(values) : values
}

function completeItem(info: FieldInfo, type: GraphQLOutputType, item: unknown, path: Path, index: number): unknown {
  try {
    return orNull(info, type, complete(info, type, item, path, index), path, index)
  } catch (error) {
    return failed(info, type, error, path, index)
  }
}

/** Throws the error that leaves nothing of these values, once those that come later are there or one of them has failed. */
function afterAll(values: readonly unknown[], error: unknown): Promise<never> {
  if (!values.some((value) => value instanceof Promise)) throw error
  const rethrow = () => {
    throw error
  }
  return Promise.all(values).then(rethrow, rethrow)
}

function serialized(type: GraphQLLeafType, value: unknown): unknown {
  const sent = type.serialize(value)
  if (sent == null) throw new Error(`${type.name} serializes a value as null.`)
  return sent
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

/** From the root on. */
function keysTo(prev: Path | undefined, key: Key): Key[] {
  const keys = [key]
  for (let at = prev; at; at = at.prev) keys.unshift(at.key)
  return keys
}

/** What resolvers learn about their field. */
class FieldInfo implements GraphQLResolveInfo {
  readonly run: Run
  readonly planned: PlannedField
  readonly parentPath: Path | undefined

  constructor(run: Run, planned: PlannedField, parentPath: Path | undefined) {
    this.run = run
    this.planned = planned
    this.parentPath = parentPath
  }

  get fieldName() {
    return this.planned.field.name
  }
  get fieldNodes() {
    return this.planned.nodes
  }
  get returnType() {
    return this.planned.field.type
  }
  get parentType() {
    return this.planned.parentType
  }
  get path() {
    return { prev: this.parentPath, key: this.planned.key, typename: this.parentType.name }
  }
  get schema() {
    return this.run.operation.schema
  }
  get operation() {
    return this.run.operation.node
  }
  get fragments() {
    return this.run.plan.fragments
  }
  get rootValue() {
    return undefined
  }
  get variableValues() {
    return this.run.variables
  }
}
