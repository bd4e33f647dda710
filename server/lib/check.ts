import { AppError } from './app-error.ts'
import { hasControls, hasSecret } from './plain-text.ts'

/** Format characters and tags; the joiners of letters and emoji are none of them here. */
const INVISIBLE = /(?![\u200c\u200d])[\p{Cf}\u{e0000}-\u{e007f}]/u
const VISIBLE = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800]/u
const EMAIL = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+\.[^\s@<>()[\],;:"\\.]+$/

/** Of one character as people count it, with room for blanks around the text; more is not even looked at. */
const UNITS_OF_A_CHARACTER = 8

/** Refuses a value and names the field, never the value. */
export function badInput(field: string, message: string): AppError {
  return new AppError('BAD_USER_INPUT', { field, message })
}

/** A text to keep: as `checkAnyText`, with something to see in it, and nothing that cannot be seen but what joins characters. */
export function checkText(field: string, value: string, { min = 1, max = 80 } = {}): string {
  const text = checkAnyText(field, value, { min, max })
  if (INVISIBLE.test(text)) throw badInput(field, `${field}: no invisible characters.`)
  if (text !== '' && !VISIBLE.test(text)) throw badInput(field, `${field}: at least one visible character.`)
  return text
}

/**
 * A text to look for: without blanks around it, `min` to `max` characters long, free of control characters, and no secret of
 * ours. What was stored before `checkText` became stricter can be found.
 */
export function checkAnyText(field: string, value: string, { min = 0, max = 80 } = {}): string {
  const wrongLength = () => badInput(field, `${field}: ${min} to ${max} characters.`)
  if (value.length > max * UNITS_OF_A_CHARACTER) throw wrongLength()
  const text = value.trim().normalize('NFC')
  const length = [...text].length
  if (length < min || length > max) throw wrongLength()
  if (!text.isWellFormed()) throw badInput(field, `${field}: not valid text.`)
  if (hasControls(text)) throw badInput(field, `${field}: no control characters.`)
  if (hasSecret(text))
    throw badInput(field, `${field}: this looks like a secret. Keep secrets out of names and labels.`)
  return text
}

/** Text without control characters and without half characters. */
export const isPrintable = (text: string): boolean => !hasControls(text) && text.isWellFormed()

/** An e-mail address in the one form under which it is stored and compared. */
export function checkEmail(field: string, value: string): string {
  const email = checkText(field, value, { min: 3, max: 254 }).toLowerCase()
  if (!EMAIL.test(email)) throw badInput(field, `${field}: an e-mail address such as ada@example.com.`)
  return email
}

/** The form under which names are sorted and searched: case and compatible spellings do not matter. */
export function sortKey(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ') // a sigma at the end of a word is one inside of it too
}
