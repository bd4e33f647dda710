/** Defaults of the GraphQL routes, all in this one place. */
export const MAX_BODY_BYTES = 256 * 1024
/** The inputs of one list in the variables for which a body may be larger, and the values in them. */
export const MAX_BULK_ITEMS = 500
/** Fits the longest texts of a device in any script, also where a client escapes them: an emoji is `\ud83d\ude00`. */
export const BODY_BYTES_OF_AN_ITEM = 32 * 1024
export const VALUES_OF_AN_ITEM = 40
export const MAX_BULK_BYTES = MAX_BODY_BYTES + MAX_BULK_ITEMS * BODY_BYTES_OF_AN_ITEM
export const MAX_DOCUMENT_CHARACTERS = 16_000
export const MAX_TOKENS = 2_000
/** In all variables together: values and field names. As with tokens, each one makes error reports slower. */
export const MAX_VALUES = 10_000
/** The fields of one object in the variables. No input has a tenth of it, and error reports print all of them. */
export const MAX_OBJECT_FIELDS = 500
/** The depth of the variables. No input has a tenth of it, and what is far deeper overflows the stack. */
export const MAX_LEVELS = 50
export const MAX_OPERATIONS = 10
export const MAX_DEPTH = 10
export const MAX_INTROSPECTION_DEPTH = 20
export const MAX_ALIASES = 30
export const MAX_ROOT_FIELDS = 20
export const MAX_DIRECTIVES = 20
/** Fragments, in all and in one place, and repetitions are cheap to write, but expensive to validate. */
export const MAX_FRAGMENTS = 50
/** The fields of all operations together, with their fragments expanded. */
export const MAX_FIELDS = 2_000
export const MAX_REPEATS = 30
export const MAX_COST = 5_000
export const MAX_REPORTED_ERRORS = 10
export const MAX_REPORTED_VARIABLE_ERRORS = 10
/** An answer's texts are longer than its cost tells, and so are aliases that are repeated for each entry. */
export const MAX_ANSWER_CHARACTERS = 8_000_000
/** One that costs less, and has no aliases, cannot be so long. */
export const LONG_FROM_COST = 150
export const OPERATION_TIMEOUT_MS = 10_000

/** A request takes one point of the caller's rate limit, and one more for each of these that it goes beyond. */
export const COST_OF_A_POINT = 250
export const TOKENS_OF_A_POINT = 100
export const BODY_OF_A_POINT = 4_096
export const STORED_BYTES_OF_A_POINT = 8_192

/** Cached documents, and how many tokens they may have together: a token takes half a kilobyte. */
export const CACHED_OPERATIONS = 500
export const CACHED_TOKENS = 100_000

/** A wider operation has no plan, which is cached with it: fragments can make it many times as long as its text. */
export const MAX_PLANNED_FIELDS = 250
