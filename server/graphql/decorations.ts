import {
  type ArgumentNode,
  type DefinitionNode,
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql'
import { isCostArgument } from './page-arguments.ts'

/** Counted before fragments are expanded. */
interface Decorations {
  aliases: number
  directives: number
  /** Whether the cost of an operation depends on its variables. */
  hasVariableCost: boolean
}

/** How many aliases and directives a document has. By hand: `visit` takes ten times as long. */
export function countDecorations({ definitions }: DocumentNode): Decorations {
  const counts: Decorations = { aliases: 0, directives: 0, hasVariableCost: false }
  for (const node of definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION) {
      ofDirectives(node.directives, counts)
      for (const { directives } of node.variableDefinitions ?? []) ofDirectives(directives, counts)
      ofSelections(node.selectionSet, counts)
    } else if (node.kind === Kind.FRAGMENT_DEFINITION) {
      ofDirectives(node.directives, counts)
      ofSelections(node.selectionSet, counts)
    } else ofOther(node, counts)
  }
  return counts
}

function ofSelections({ selections }: SelectionSetNode, counts: Decorations): void {
  for (const node of selections) {
    ofDirectives(node.directives, counts)
    if (node.kind === Kind.FIELD) {
      if (node.alias) counts.aliases++
      ofArguments(node.arguments, counts)
    }
    if (node.kind !== Kind.FRAGMENT_SPREAD && node.selectionSet) ofSelections(node.selectionSet, counts)
  }
}

function ofDirectives(nodes: readonly DirectiveNode[] | undefined, counts: Decorations): void {
  for (const node of nodes ?? []) {
    counts.directives++
    ofArguments(node.arguments, counts)
  }
}

function ofArguments(nodes: readonly ArgumentNode[] | undefined, counts: Decorations): void {
  for (const { name, value } of nodes ?? []) {
    if (value.kind === Kind.VARIABLE && isCostArgument(name.value)) counts.hasVariableCost = true
  }
}

/** A definition that is never valid here: of a type, for example. */
function ofOther(definition: DefinitionNode, counts: Decorations): void {
  visit(definition, { Directive: (node) => ofDirectives([node], counts) })
}
