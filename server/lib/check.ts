import { AppError, allErrorsIn } from './app-error.ts'
import { hasControls, hasSecret } from './plain-text.ts'

/** Characters of a text, unless its check says otherwise. */
export const MAX_TEXT = 80
export const MAX_EMAIL = 254

/** Format characters and tags, except the joiners of words and emoji. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/u
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800]/u
const EMAIL = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+\.[^\s@<>()[\],;:"\\.]+$/

/** Unicode's own limit for texts in streams. Sorting more for a normal form takes the square of their number. */
const MAX_MARKS = 30
/** Combining marks, and two characters that compatibility forms make marks of. */
const MARKS = /[\p{M}\uff9e\uff9f]+/gu

/** Units of one user-perceived character, with room for blanks around the text; a longer text is refused unread. */
const UNITS_OF_A_CHARACTER = 8
const BYTES_OF_A_CHARACTER = 4 // at most, in UTF-8

/** Whether a text must not be normalized: it has too many combining marks in a row, which no script has. */
export const hasManyMarks = (text: string): boolean =>
  text.match(MARKS)?.some((run) => run.length > MAX_MARKS && [...run].length > MAX_MARKS) ?? false

export const tooManyMarks = (field: string) =>
  badInput(field, `${field}: at most ${MAX_MARKS} combining marks in a row.`)

/** The error for a bad value: it names the field, never the value. */
export function badInput(field: string, message: string): AppError {
  return new AppError('BAD_USER_INPUT', { field, message })
}

/** Runs every check, and throws everything that is wrong at once: an error for each field. */
export function checkAll<Checked>(checks: { [Field in keyof Checked]: () => Checked[Field] }): Checked {
  const wrong = new BadFields()
  const checked: Partial<Checked> = {}
  for (const field in checks) {
    try {
      checked[field] = checks[field]?.()
    } catch (error) {
      wrong.add(error)
    }
  }
  wrong.throwAny()
  return checked as Checked // each field is there, or something was wrong
}

/** Collects what is wrong with an input, so that all of it is reported at once: the first error of each field. */
export class BadFields {
  readonly #errors = new Map<string | undefined, AppError>()

  /** Throws what is no bad input. */
  add(error: unknown): void {
    if (!(error instanceof AppError) || error.code !== 'BAD_USER_INPUT') throw error
    for (const each of allErrorsIn(error)) {
      const { field } = each.details
      if (!this.#errors.has(field)) this.#errors.set(field, each)
    }
  }

  throwAny(): void {
    const [first, ...others] = this.#errors.values()
    if (!first) return
    if (others.length === 0) throw alone(first)
    throw new AppError('BAD_USER_INPUT', { ...alone(first).details, message: first.message, others: others.map(alone) })
  }
}

/** Without those that were found together with it: they are listed beside it. */
function alone(error: AppError): AppError {
  const { others, ...details } = error.details
  return others ? new AppError(error.code, { ...details, message: error.message }) : error
}

/** As `checkAnyText`, and with something visible; what looks the same must be the same: no blanks around it, nothing invisible but joiners, NFC. */
export function checkText(field: string, value: string, { min = 1, max = MAX_TEXT } = {}): string {
  const text = checkAnyText(field, value, { min, max })
  if (INVISIBLE.test(text)) throw badInput(field, `${field}: no invisible characters.`)
  if (!VISIBLE.test(text)) throw badInput(field, `${field}: at least one visible character.`)
  if (value !== value.trim()) throw badInput(field, `${field}: no blanks or line breaks at the beginning or the end.`)
  if (value !== text) throw badInput(field, `${field}: send it in Unicode normalization form C (NFC).`)
  return value
}

/**
 * Checks a text to search for, which is not stored: trimmed unless `blanks` says otherwise, `min` to `max` characters long, without control
 * characters and without a secret of ours unless `secrets` allows it. Less strict than `checkText`, so that texts stored
 * by older versions can be found.
 */
export function checkAnyText(
  field: string,
  value: string,
  { min = 0, max = MAX_TEXT, secrets = false, blanks = false } = {},
): string {
  const wrongLength = () => badInput(field, `${field}: ${min > 0 ? `${min} to` : 'at most'} ${max} characters.`)
  if (value.length > max * UNITS_OF_A_CHARACTER) throw wrongLength()
  const given = blanks ? value : value.trim()
  const isShort = given.length <= max && min <= 1 // so that long texts are counted only where it matters
  const length = isShort ? given.length : [...given].length
  if (length < min || length > max) throw wrongLength()
  if (hasManyMarks(given)) throw tooManyMarks(field)
  const text = given.normalize('NFC')
  if (!text.isWellFormed()) throw badInput(field, `${field}: not valid text.`)
  if (hasControls(text)) throw badInput(field, `${field}: no control characters.`)
  if (!secrets && hasSecret(text))
    throw badInput(field, `${field}: this looks like a secret. Keep secrets out of names and labels.`)
  return text
}

/** A name, whose sort key is stored beside it, for a device also with each tag. */
export function checkName(field: string, value: string): string {
  const name = checkText(field, value)
  shortKey(field, name, MAX_TEXT)
  return name
}

/** The sort key of a text to search for. */
export const checkSearch = (field: string, value: string | null | undefined, { max = MAX_TEXT, blanks = false } = {}) =>
  shortKey(field, checkAnyText(field, value ?? '', { max, blanks }), max)

/** With no more bytes than the longest text has itself: in a sort key, one character can become eighteen. */
function shortKey(field: string, text: string, max: number): string {
  const [key, maxBytes] = [sortKey(text), max * BYTES_OF_A_CHARACTER]
  if (Buffer.byteLength(key) <= maxBytes) return key
  throw badInput(
    field,
    `${field}: at most ${maxBytes} bytes with compatibility characters, such as U+FDFA, written out.`,
  )
}

/** Whether a text has neither control characters nor lone surrogates. */
export const isPrintable = (text: string): boolean => !hasControls(text) && text.isWellFormed()

/** An email address that a person types, in the canonical form in which it is stored and compared. */
export function checkEmail(field: string, value: string): string {
  const text = checkAnyText(field, value, { max: MAX_EMAIL })
  const email = checkText(field, text, { min: 3, max: MAX_EMAIL }).toLowerCase()
  if (!EMAIL.test(email)) throw badInput(field, `${field}: an email address such as ada@example.com.`)
  return email
}

/** An email address that a program sends: in its canonical form, or refused. */
export function checkCanonicalEmail(field: string, value: string): string {
  if (checkEmail(field, value) === value) return value
  throw badInput(field, `${field}: in lower case, without blanks around it, and in Unicode normalization form C (NFC).`)
}

/** The form in which names are sorted and searched: without case and compatibility variants. */
export function sortKey(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ') // both forms of the small sigma are equal
}
