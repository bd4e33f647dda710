import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql'
import type { CompiledQuery } from 'graphql-jit'
import { requireLater } from '../lib/require-later.ts'
import { COMPILING_MS_A_SECOND, MAX_COMPILED_FIELDS } from './limits.ts'
import type { Measure } from './measure.ts'

/** What to compile. */
interface Source {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly node: OperationDefinitionNode
}

export interface CompilerOptions {
  /** How much of every second may pass before no further compilation starts in it. */
  compilingMs?: number
  /** Milliseconds from an arbitrary origin. */
  now?: () => number
}

/** Whether compiling pays off: introspection is rare, and takes many times longer to compile than to run. */
export const isWorthCompiling = ({ introspectionDepth, size }: Measure) =>
  introspectionDepth === 0 && size <= MAX_COMPILED_FIELDS

/** Compiles operations within a budget of its own; undefined: this one cannot be compiled. */
export function createCompiler({
  compilingMs = COMPILING_MS_A_SECOND,
  now = () => performance.now(),
}: CompilerOptions = {}) {
  let second = 0
  let spent = 0

  return function compile({ schema, document, node }: Source): CompiledQuery | undefined | 'not now' {
    const { compileQuery, isCompiledQuery }: typeof import('graphql-jit') = requireLater('graphql-jit') // a start does not wait for it
    const startedAt = now()
    if (Math.floor(startedAt / 1000) !== second) {
      second = Math.floor(startedAt / 1000)
      spent = 0
    }
    if (spent >= compilingMs) return 'not now'
    // Numbers, strings and enums are sent as our own code returns them, which TypeScript has checked; nulls are still
    // checked, and a DateTime is serialized.
    const compiled = compileQuery(schema, document, node.name?.value, {
      disableLeafSerialization: true,
    })
    spent += now() - startedAt
    return isCompiledQuery(compiled) ? compiled : undefined
  }
}
