import { ANY_SECRET, NAMED_SECRET, SECRET_BEGIN } from './secret.ts'

/** What steers a terminal or turns text around in place of standing in it: C0, C1, separators of lines, overrides of direction. */
const STEERING = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'
const CONTROL = new RegExp(`[${STEERING}]`)
const CONTROLS = new RegExp(CONTROL, 'g')
const NOT_EVEN_BLANK = new RegExp(`(?![\\n\\t])[${STEERING}]`, 'g')
const SUSPECT = new RegExp(`[${STEERING}]|${SECRET_BEGIN}`)
/** Stands where a secret was. */
export const STRUCK = '[secret]'

/** Whether there is a control character in it, a line break included. */
export const hasControls = (text: string) => CONTROL.test(text)

/** Whether one of our secrets, or most of one, stands in a name. */
export const hasSecret = (name: string) => NAMED_SECRET.test(name)

/** With every secret of ours struck out. */
export const withoutSecrets = (text: string) => text.replace(ANY_SECRET, STRUCK)

/** As it may be printed: without control characters, but with its lines and tabs. */
export const printable = (text: string) => text.replace(NOT_EVEN_BLANK, '')

/** As it may stand in one cell or line: every run of control characters and line breaks is one blank at most. */
export const onOneLine = (text: string) => printable(text.replace(/[\n\t]+/g, ' '))

/** JSON with its control characters written as escapes; JSON itself leaves C1 and overrides of direction as they are. */
export const escapedJson = (json: string) =>
  json.replace(CONTROLS, (character) =>
    character === '\n' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Without control characters and secrets. In this order: what stood on both sides of a control character may be one. */
export const cleaned = (text: string) => (SUSPECT.test(text) ? withoutSecrets(text.replace(CONTROLS, '')) : text)

/** What a caller sent along, as it may be stored: cleaned, and at most so many characters. */
export function storable(text: string, most: number): string {
  const clean = cleaned(text)
  return clean.length > most ? clean.slice(0, most).toWellFormed() : clean
}
