import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql'

/** What a document requests of a list. */
export interface RequestedFields {
  /** The fields of its items. */
  items: readonly string[]
  pageInfo: boolean
}

const known = new WeakMap<FieldNode, RequestedFields>()

/**
 * Computed once for each document, so the same object comes back each time. Undefined when the list is requested in
 * several places.
 */
export function requestedFields({ fieldNodes, fragments }: GraphQLResolveInfo): RequestedFields | undefined {
  const [node] = fieldNodes
  if (!node || fieldNodes.length > 1) return undefined
  const before = known.get(node)
  if (before) return before

  const fields = fieldsIn(node.selectionSet, fragments)
  const requested = {
    items: fields.filter(isNamed('data')).flatMap((data) => fieldsIn(data.selectionSet, fragments).map(nameOf)),
    pageInfo: fields.some(isNamed('pageInfo')),
  }
  known.set(node, requested)
  return requested
}

/** Expands fragments. Ignores type conditions, @skip and @include, so it may return more fields than are needed. */
function fieldsIn(set: SelectionSetNode | undefined, fragments: GraphQLResolveInfo['fragments']): FieldNode[] {
  return (set?.selections ?? []).flatMap((part) => {
    if (part.kind === Kind.FIELD) return part
    const fragment = part.kind === Kind.INLINE_FRAGMENT ? part : fragments[part.name.value]
    return fieldsIn(fragment?.selectionSet, fragments)
  })
}

const nameOf = ({ name }: FieldNode) => name.value
const isNamed = (name: string) => (field: FieldNode) => nameOf(field) === name
