import { ANY_SECRET, NAMED_SECRET, SECRET_BEGIN } from '../secrets/secret.ts'

/** Characters that control a terminal or the direction of text: C0 (but for line breaks and tabs), C1, line separators, direction overrides. */
const OTHER_THAN_BLANK = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'
const CONTROL_CHARACTERS = `\\n\\t${OTHER_THAN_BLANK}`
const CONTROL = new RegExp(`[${CONTROL_CHARACTERS}]`)
const CONTROLS = new RegExp(CONTROL, 'g')
const NOT_EVEN_BLANK = new RegExp(`[${OTHER_THAN_BLANK}]`, 'g')
const SUSPECT = new RegExp(`[${CONTROL_CHARACTERS}]|${SECRET_BEGIN}`)
export const REDACTED = '[secret]'

/** Whether the text has a control character, line breaks included. */
export const hasControls = (text: string) => CONTROL.test(text)

/** Whether a name contains one of our secrets, or most of one. */
export const hasSecret = (name: string) => NAMED_SECRET.test(name)

export const withoutSecrets = (text: string) => text.replace(ANY_SECRET, REDACTED)

/** For printing: removes control characters, but keeps lines and tabs. */
export const printable = (text: string) => text.replace(NOT_EVEN_BLANK, '')

/** For one cell or line: replaces every run of control characters and line breaks by at most one blank. */
export const onOneLine = (text: string) => printable(text.replace(/[\n\t]+/g, ' '))

/** Escapes control characters in JSON, which itself leaves C1 and direction overrides as they are. */
export const escapedJson = (json: string) =>
  json.replace(CONTROLS, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Removes control characters, then secrets: a secret may have been split by a control character. */
export const cleaned = (text: string) => (SUSPECT.test(text) ? withoutSecrets(text.replace(CONTROLS, '')) : text)

/** What a caller sent, as it may be stored: cleaned, and cut to at most this many characters. */
export function storable(text: string, most: number): string {
  const clean = cleaned(text)
  return clean.length > most ? clean.slice(0, most).toWellFormed() : clean
}
