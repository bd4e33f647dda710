import {
  type ASTNode,
  type ASTVisitor,
  BREAK,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql'

/** Nothing that graphql-jit could take for a mark of its own, which it replaces by code: these begin with `__`. */
const HARMLESS_TEXT = /^(?!.*__)[\w .,:;@/+-]*$/
const LONGEST_NAME = 40
const HARMLESS_DEFAULTS: string[] = [Kind.INT, Kind.BOOLEAN, Kind.ENUM]

/**
 * Whether the compiled operation surely answers as graphql-js does. graphql-jit writes the document's literals and names into
 * source code, and treats some documents differently: see decision 59, which has an example of each. What is not surely the
 * same is executed by graphql-js.
 */
export function isCompilable(document: DocumentNode, { operation }: OperationDefinitionNode): boolean {
  if (operation !== 'query') return false
  let isSafe = true
  const only = (holds: boolean) => {
    if (holds) return undefined
    isSafe = false
    return BREAK
  }
  const visitor: ASTVisitor = {
    Directive: () => only(false),
    Field: ({ alias, name }) => only(isHarmlessName((alias ?? name).value) || (!alias && name.value === '__typename')),
    StringValue: ({ value }) => only(HARMLESS_TEXT.test(value)),
    VariableDefinition: (node) => only(isHarmlessVariable(node)),
    Variable: (_node, _key, parent) => only(isWholeArgument(parent)),
  }
  visit(document, visitor)
  return isSafe
}

/** Paths of names are joined with `_`, and names are looked up in plain objects. A name is repeated for every field below. */
export const isHarmlessName = (name: string) =>
  name.length <= LONGEST_NAME && !name.includes('_') && !(name in Object.prototype)

function isHarmlessVariable({ variable, type, defaultValue }: VariableDefinitionNode): boolean {
  if (!isHarmlessName(variable.name.value)) return false
  return !defaultValue || (type.kind !== Kind.NON_NULL_TYPE && HARMLESS_DEFAULTS.includes(defaultValue.kind))
}

/** Not inside of an object or a list, where one that is absent becomes null. */
const isWholeArgument = (parent: ASTNode | readonly ASTNode[] | undefined) =>
  parent !== undefined &&
  'kind' in parent &&
  (parent.kind === Kind.ARGUMENT || parent.kind === Kind.VARIABLE_DEFINITION)
