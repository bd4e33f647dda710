/** Defaults of the GraphQL doors, each in this one place. */
export const MAX_BODY_BYTES = 256 * 1024
export const MAX_DOCUMENT_CHARACTERS = 16_000
export const MAX_TOKENS = 2_000
export const MAX_DEPTH = 10
export const MAX_INTROSPECTION_DEPTH = 20
export const MAX_ALIASES = 30
export const MAX_ROOT_FIELDS = 20
export const MAX_DIRECTIVES = 20
/** Fragments and repetitions are cheap to write, but dear to validate and to compile. */
export const MAX_FRAGMENTS = 50
export const MAX_REPEATS = 30
export const MAX_COST = 5_000
export const MAX_REPORTED_ERRORS = 10
export const OPERATION_TIMEOUT_MS = 10_000
