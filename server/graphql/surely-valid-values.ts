import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  isTypeSubTypeOf,
  Kind,
  type ObjectValueNode,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
} from 'graphql'

/** The variables of one operation. */
export interface KnownVariables {
  schema: GraphQLSchema
  definitions: Map<string, { type: GraphQLInputType; hasDefault: boolean }>
  used: Set<string>
}

/** Whether these definitions are certainly valid; adds them to what is known. */
export function areVariables(nodes: readonly VariableDefinitionNode[], known: KnownVariables): boolean {
  for (const { variable, type: typeNode, defaultValue, directives = [] } of nodes) {
    const name = variable.name.value
    const type = typeFromAST(known.schema, typeNode)
    if (!isInputType(type) || directives.length > 0 || known.definitions.has(name)) return false
    if (defaultValue && !isSurelyValue(defaultValue, type, known)) return false
    known.definitions.set(name, { type, hasDefault: defaultValue !== undefined && defaultValue.kind !== Kind.NULL })
  }
  return true
}

/** Whether a value certainly fits its type; `byDefault`: of its place, which takes its turn where a variable is not set. */
export function isSurelyValue(
  node: ValueNode,
  type: GraphQLInputType,
  known: KnownVariables,
  byDefault?: unknown,
): boolean {
  if (node.kind === Kind.VARIABLE) return isSurelyVariable(node.name.value, type, known, byDefault)
  if (isNonNullType(type)) return node.kind !== Kind.NULL && isSurelyValue(node, type.ofType, known)
  if (node.kind === Kind.NULL) return true
  if (isListType(type)) {
    if (node.kind !== Kind.LIST) return isSurelyValue(node, type.ofType, known) // a list of one
    return node.values.every((each) => isSurelyValue(each, type.ofType, known))
  }
  if (node.kind === Kind.LIST) return false
  if (isInputObjectType(type)) return node.kind === Kind.OBJECT && isSurelyObject(node, type, known)
  if (node.kind === Kind.OBJECT || !isLeafType(type)) return false
  try {
    return type.parseLiteral(node, undefined) !== undefined
  } catch {
    return false
  }
}

function isSurelyVariable(name: string, type: GraphQLInputType, known: KnownVariables, byDefault: unknown): boolean {
  const variable = known.definitions.get(name)
  if (!variable) return false
  known.used.add(name)
  const isAlwaysSet = isNonNullType(variable.type) || variable.hasDefault || byDefault !== undefined
  const wanted = isNonNullType(type) && !isNonNullType(variable.type) && isAlwaysSet ? type.ofType : type
  return isTypeSubTypeOf(known.schema, variable.type, wanted)
}

function isSurelyObject({ fields }: ObjectValueNode, type: GraphQLInputObjectType, known: KnownVariables): boolean {
  if (type.isOneOf) return false
  let found = 0
  for (const field of Object.values(type.getFields())) {
    const ofName = fields.filter(({ name }) => name.value === field.name)
    const [node] = ofName
    if (ofName.length > 1) return false
    if (!node) {
      if (isRequiredInputField(field)) return false
      continue
    }
    found++
    if (!isSurelyValue(node.value, field.type, known, field.defaultValue)) return false
  }
  return found === fields.length
}
