import {
  type DocumentNode,
  FragmentsOnCompositeTypesRule,
  type GraphQLSchema,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  MaxIntrospectionDepthRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  PossibleFragmentSpreadsRule,
  SingleFieldSubscriptionsRule,
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
import { MAX_REPORTED_ERRORS } from './operation-limits.ts'

/**
 * Rules about what a document cannot have without this text. graphql-js takes as long to set a rule up as to apply it to
 * a short document, so the rules that can find nothing are left out: more than half of them, for most documents.
 */
const RULES_ABOUT: readonly { text: RegExp; rules: readonly ValidationRule[] }[] = [
  {
    text: /\$/, // variables
    rules: [
      UniqueVariableNamesRule,
      NoUndefinedVariablesRule,
      NoUnusedVariablesRule,
      VariablesAreInputTypesRule,
      VariablesInAllowedPositionRule,
    ],
  },
  {
    text: /\.\.\.|fragment/,
    rules: [
      UniqueFragmentNamesRule,
      KnownFragmentNamesRule,
      NoUnusedFragmentsRule,
      PossibleFragmentSpreadsRule,
      NoFragmentCyclesRule,
      FragmentsOnCompositeTypesRule,
    ],
  },
  { text: /\$|\.\.\.|fragment/, rules: [KnownTypeNamesRule] }, // variables and fragments have types
  { text: /@/, rules: [KnownDirectivesRule, UniqueDirectivesPerLocationRule] },
  { text: /__/, rules: [MaxIntrospectionDepthRule] },
  { text: /subscription/, rules: [SingleFieldSubscriptionsRule] },
]

/** Throws what is wrong with a document by the rules of GraphQL: the first errors. */
export function requireValid(schema: GraphQLSchema, text: string, document: DocumentNode): void {
  const leftOut = new Set(RULES_ABOUT.filter((about) => !about.text.test(text)).flatMap(({ rules }) => rules))
  const rules = specifiedRules.filter((rule) => !leftOut.has(rule))
  const errors = validate(schema, document, rules, { maxErrors: MAX_REPORTED_ERRORS })
  if (errors.length === 0) return
  throw new InvalidDocument('GRAPHQL_VALIDATION_FAILED', errors.slice(0, MAX_REPORTED_ERRORS)) // one more only says that there are more
}
