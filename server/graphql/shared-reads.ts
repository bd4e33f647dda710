import { Kind, type OperationDefinitionNode, type SelectionNode } from 'graphql'
import type { MaybePromise } from '../lib/maybe-promise.ts'

/**
 * Shared by requests that have arrived together, were sent with one key from one place, and so may see the same.
 */
export interface SharedReads {
  /** The answers so far, by the body of the request. Undefined: no other request has this key. */
  readonly answers: Answers | undefined
  /** Something is being written: the requests that come after it read for themselves. */
  forget(): void
}

type Answers = Map<string, MaybePromise<ReadAnswer>>

interface ReadAnswer {
  text: string
  /** Each names its request. */
  hasErrors: boolean
}

/** The answer of an earlier request with the same body, if that had no errors, or else one's own. */
export function shareRead(
  answers: Answers,
  body: string,
  read: () => MaybePromise<ReadAnswer>,
): MaybePromise<ReadAnswer> {
  const before = answers.get(body)
  if (before instanceof Promise) return before.then((shared) => (shared.hasErrors ? read() : shared))
  if (before && !before.hasErrors) return before
  const own = read()
  answers.set(body, own)
  return own
}

const ROOT_FIELDS = new Set(['devices', 'device'])
const ARGUMENTS = new Set(['first', 'after', 'id'])

const known = new WeakMap<OperationDefinitionNode, boolean>()

/**
 * Whether the answer depends on nothing but the caller, the body and the devices: not on the request itself, as that of
 * `rateLimit` does. Filters and counts, which may read a lot, are read for each request in its turn.
 */
export function isPlainRead(node: OperationDefinitionNode): boolean {
  const before = known.get(node)
  if (before !== undefined) return before
  const isPlain = node.operation === 'query' && node.selectionSet.selections.every(isPlainField)
  known.set(node, isPlain)
  return isPlain
}

function isPlainField(node: SelectionNode): boolean {
  if (node.kind !== Kind.FIELD || !ROOT_FIELDS.has(node.name.value)) return false
  const isShort = (node.arguments ?? []).every(({ name }) => ARGUMENTS.has(name.value))
  return isShort && (node.selectionSet?.selections ?? []).every(isNoCount)
}

const isNoCount = (node: SelectionNode) => node.kind === Kind.FIELD && node.name.value !== 'totalCount'
