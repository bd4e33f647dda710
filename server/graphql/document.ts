import { type DocumentNode, GraphQLError, type GraphQLSchema, Kind, parse, type Token, TokenKind } from 'graphql'
import { AppError } from '../lib/app-error.ts'
import { hasSecret } from '../lib/plain-text.ts'
import { type Fragments, measure } from './measure.ts'
import {
  MAX_ALIASES,
  MAX_DEPTH,
  MAX_DIRECTIVES,
  MAX_DOCUMENT_CHARACTERS,
  MAX_FIELDS,
  MAX_FRAGMENTS,
  MAX_INTROSPECTION_DEPTH,
  MAX_OPERATIONS,
  MAX_REPEATS,
  MAX_ROOT_FIELDS,
  MAX_TOKENS,
} from './operation-limits.ts'
import { countRepeats } from './repeats.ts'

export class InvalidDocument extends Error {
  readonly errors: readonly GraphQLError[]
  readonly code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED'

  constructor(code: InvalidDocument['code'], errors: readonly GraphQLError[]) {
    super(code)
    this.code = code
    this.errors = errors
  }
}

/** Parses a document; throws what is wrong with it, or that it is too long. */
export function readDocument(text: string): DocumentNode {
  if (text.length > MAX_DOCUMENT_CHARACTERS) throw tooComplex(`more than ${MAX_DOCUMENT_CHARACTERS} characters`)
  try {
    return parse(text, { maxTokens: MAX_TOKENS })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    if (/tokens\. Parsing aborted/.test(error.message)) throw tooComplex(`more than ${MAX_TOKENS} tokens`)
    throw new InvalidDocument('GRAPHQL_PARSE_FAILED', [error])
  }
}

export const operationsIn = (document: DocumentNode) =>
  document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)

/** Every operation of the document, also those that will not run: all of them are validated. */
export function requireWithinLimits(schema: GraphQLSchema, document: DocumentNode, fragments: Fragments): void {
  const operations = operationsIn(document)
  requireAtMost(operations.length, MAX_OPERATIONS, 'operations')
  const { aliases, directives } = countTokens(document)
  requireAtMost(aliases, MAX_ALIASES, 'aliases')
  requireAtMost(directives, MAX_DIRECTIVES, 'directives')
  requireAtMost(fragments.size, MAX_FRAGMENTS, 'fragments')
  for (const operation of operations) {
    const { depth, introspectionDepth, rootFields } = measure(schema, fragments, operation, {})
    requireAtMost(depth, MAX_DEPTH, 'levels of depth')
    requireAtMost(introspectionDepth, MAX_INTROSPECTION_DEPTH, 'levels of introspection')
    requireAtMost(rootFields, MAX_ROOT_FIELDS, 'fields at the root')
  }
  const { repeats, spreads, fields } = countRepeats(document, fragments, MAX_FIELDS)
  requireAtMost(repeats, MAX_REPEATS, 'times the same field in one place')
  requireAtMost(spreads, MAX_FRAGMENTS, 'fragments in one place')
  requireAtMost(fields, MAX_FIELDS, 'fields with all fragments expanded')
}

function requireAtMost(actual: number, most: number, what: string): void {
  if (actual > most) throw tooComplex(`more than ${most} ${what}`)
}

const tooComplex = (what: string) =>
  new AppError('QUERY_TOO_COMPLEX', { message: `The document is too large: ${what}.` })

/** An alias is what has a colon outside of parentheses. */
export function countTokens(document: DocumentNode): { aliases: number; directives: number } {
  let [aliases, directives, parentheses] = [0, 0, 0]
  for (const { kind } of tokensOf(document)) {
    if (kind === TokenKind.PAREN_L) parentheses++
    else if (kind === TokenKind.PAREN_R) parentheses--
    else if (kind === TokenKind.COLON && parentheses === 0) aliases++
    else if (kind === TokenKind.AT) directives++
  }
  return { aliases, directives }
}

/** Whether one of our secrets is written into the document: as a value, in whatever way it is escaped, or anywhere else. */
export const containsSecret = (document: DocumentNode) =>
  tokensOf(document).some(({ value }) => value !== undefined && hasSecret(value))

/** Every token, comments included. */
function tokensOf({ loc }: DocumentNode): Token[] {
  const tokens: Token[] = []
  for (let token: Token | null | undefined = loc?.startToken; token; token = token.next) tokens.push(token)
  return tokens
}
