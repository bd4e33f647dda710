import type { ArgBuilder, InputRef } from '@pothos/core'
import type { AppError } from '../lib/app-error.ts'
import { MAX_TEXT } from '../lib/check.ts'
import type { Types } from './builder.ts'

/** Which values an argument or an input field takes. Ids and times need none: their types define it. */
export interface Domain {
  min?: number
  /** What a number counts, for the error message. */
  unit?: string | undefined
  /** The maximum of a number, or the maximum number of characters of a text. */
  max?: number
  /** Whether a text may have several lines. */
  lines?: boolean
  /** Whether a text may be or contain one of our secrets, which must not be stored. */
  secrets?: boolean
  /** The maximum number of entries of a list. */
  items?: number
  /** Whether an invalid entry is only marked, for a resolver that answers for each entry: see `errorOfItem`. */
  eachOnItsOwn?: boolean
  /** The check that the resolver makes of all of an input object. */
  whole?: (input: unknown) => unknown
}

const domain = (of: Domain) => ({ extensions: { domain: of } })

/** A text of at most this many characters, without control characters. */
export const text = (max = MAX_TEXT, { lines = false } = {}) => domain({ max, lines })

/** A text that may contain one of our secrets: the resolver stores none. */
export const secretText = (max: number) => domain({ max, secrets: true })

export const range = (min: number, max: number, unit?: string) => domain({ min, max, unit })

/** At most this many entries; for texts also the maximum length of each. */
export const upTo = (items: number, of: Domain = {}) => domain({ ...of, items })

/** An input that the resolver checks by this function. What is wrong by it, and by the domains of its fields, is reported together. */
export const checkedBy = <Input>(check: (input: Input) => unknown) =>
  domain({ whole: (input) => check(input as Input) }) // GraphQL has coerced it

/** The argument `input`, which the resolver checks by this function. */
export const inputArg = <Input>(
  t: ArgBuilder<Types>,
  type: InputRef<Input>,
  description: string,
  check: (input: Input) => unknown,
) => t({ ...checkedBy(check), type, required: true, description })

/** No name that a client sends. */
const ERROR = Symbol('what is wrong with an entry')

/** An entry of a list, as one that is invalid, without refusing the others. */
export const markedInvalid = <Item extends object>(item: Item, error: AppError): Item => ({ ...item, [ERROR]: error })

/** Why an entry of a list `eachOnItsOwn` is invalid; undefined: it is valid. */
export const errorOfItem = (item: { [ERROR]?: AppError }): AppError | undefined => item[ERROR]
