import {
  type DocumentNode,
  FragmentsOnCompositeTypesRule,
  type GraphQLSchema,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  PossibleFragmentSpreadsRule,
  specifiedRules,
  UniqueDirectivesPerLocationRule,
  UniqueFragmentNamesRule,
  UniqueVariableNamesRule,
  type ValidationRule,
  VariablesAreInputTypesRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql'
import { InvalidDocument } from './document.ts'
import { MAX_REPORTED_ERRORS } from './limits.ts'

/**
 * What a document cannot be written without, and the rules that concern nothing else: half of the rules, and half of
 * the time, since graphql-js takes as long to set a rule up as to apply it to a short document.
 */
const ABOUT: readonly { sign: RegExp; rules: readonly ValidationRule[] }[] = [
  {
    sign: /\$/,
    rules: [
      UniqueVariableNamesRule,
      NoUndefinedVariablesRule,
      NoUnusedVariablesRule,
      VariablesAreInputTypesRule,
      VariablesInAllowedPositionRule,
    ],
  },
  { sign: /@/, rules: [KnownDirectivesRule, UniqueDirectivesPerLocationRule] },
  {
    sign: /\.\.\.|fragment/,
    rules: [
      UniqueFragmentNamesRule,
      KnownFragmentNamesRule,
      NoUnusedFragmentsRule,
      PossibleFragmentSpreadsRule,
      NoFragmentCyclesRule,
      FragmentsOnCompositeTypesRule,
    ],
  },
]

/** Throws what is wrong with a document by the rules of GraphQL: the first errors. */
export function requireValid(schema: GraphQLSchema, text: string, document: DocumentNode): void {
  const spared = new Set(ABOUT.filter(({ sign }) => !sign.test(text)).flatMap(({ rules }) => rules))
  const rules = specifiedRules.filter((rule) => !spared.has(rule))
  const errors = validate(schema, document, rules, { maxErrors: MAX_REPORTED_ERRORS })
  if (errors.length === 0) return
  throw new InvalidDocument('GRAPHQL_VALIDATION_FAILED', errors.slice(0, MAX_REPORTED_ERRORS)) // one more only says that there are more
}
