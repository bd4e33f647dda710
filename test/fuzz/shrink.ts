import { type ASTNode, Kind, parse, print, type SelectionSetNode, visit } from 'graphql'
import type { GraphqlCall } from './call.ts'

/** Copies of a call, each with one thing less: a selection, an argument, an input field, a definition. */
function* smallerCalls(call: GraphqlCall): Generator<GraphqlCall> {
  const document = parsed(call.query)
  if (!document) return
  const removable: ASTNode[] = []
  visit(document, {
    enter(node) {
      if (isRemovable(node)) removable.push(node)
    },
  })
  for (const gone of removable) {
    const smaller = visit(document, { enter: (node) => (node === gone ? null : undefined) })
    // What has nothing left inside goes with it.
    const tidy = visit(smaller, {
      Field: { leave: withoutEmpty },
      InlineFragment: { leave: withoutEmpty },
      FragmentDefinition: { leave: withoutEmpty },
      OperationDefinition: { leave: withoutEmpty },
    })
    const query = withoutUnused(print(tidy))
    if (parsed(query)) yield { ...call, query }
  }
}

const withoutEmpty = ({ selectionSet }: { selectionSet?: SelectionSetNode | undefined }) =>
  selectionSet?.selections.length === 0 ? null : undefined

const REMOVABLE: readonly string[] = [
  Kind.FIELD,
  Kind.FRAGMENT_SPREAD,
  Kind.INLINE_FRAGMENT,
  Kind.FRAGMENT_DEFINITION,
  Kind.ARGUMENT,
  Kind.OBJECT_FIELD,
  Kind.DIRECTIVE,
]

const isRemovable = ({ kind }: ASTNode) => REMOVABLE.includes(kind)

/** Variables that nothing uses any more make a document invalid. */
function withoutUnused(query: string): string {
  const document = parsed(query)
  if (!document) return query
  const used = new Set<string>()
  visit(document, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void used.add(name.value),
  })
  return print(visit(document, { VariableDefinition: (node) => (used.has(node.variable.name.value) ? false : null) }))
}

function parsed(query: string) {
  try {
    return parse(query)
  } catch {
    return undefined
  }
}

/** The smallest call that still fails, within so many tries; the larger parts are tried first. */
export async function shrink(
  call: GraphqlCall,
  stillFails: (smaller: GraphqlCall) => Promise<boolean>,
  mostTries: number,
): Promise<GraphqlCall> {
  let smallest = call
  let tries = 0
  for (let again = true; again; ) {
    again = false
    const candidates = [...smallerCalls(smallest)].sort((a, b) => a.query.length - b.query.length)
    for (const candidate of candidates) {
      if (++tries > mostTries) return smallest
      if (!(await stillFails(candidate))) continue
      smallest = candidate
      again = true
      break
    }
  }
  return smallest
}

/** Every name in a document and its variables: a later document that has them all is likely to fail in the same way. */
export function namesIn({ query, variables = {} }: GraphqlCall): Set<string> {
  const names = new Set<string>()
  const document = parsed(query)
  if (document) {
    visit(document, {
      Field: ({ name }) => void names.add(name.value),
      Argument: ({ name }) => void names.add(name.value),
      ObjectField: ({ name }) => void names.add(name.value),
    })
  }
  const gather = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inside] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name)
      gather(inside)
    }
  }
  for (const value of Object.values(variables)) gather(value)
  return names
}
