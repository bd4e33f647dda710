/*
 * Rows as PostgreSQL's COPY writes them as text: one line for each, tabs between the values, \N for null, bytes in
 * hexadecimal. PostgreSQL writes and reads it by itself; here is the same for SQLite.
 */

export type ColumnType = 'text' | 'integer' | 'bytes'
export type CopiedValue = string | number | null | Uint8Array

const TYPES: Record<string, ColumnType> = {
  text: 'text',
  integer: 'integer',
  bigint: 'integer',
  blob: 'bytes',
  bytea: 'bytes',
}

/** By the type that either database declares. */
export function columnTypeOf(declared: string): ColumnType {
  const type = TYPES[declared]
  if (!type) throw new Error(`No backup has columns of the type ${declared}.`)
  return type
}

const NULL = '\\N'
const BYTES = '\\\\x' // the backslash of \x, escaped
const SPECIAL = /[\\\b\f\n\r\t\v]/
const SPECIALS = new RegExp(SPECIAL, 'g')
const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
}
const ESCAPED = /\\(.)/g
const UNESCAPES: Record<string, string> = Object.fromEntries(
  Object.entries(ESCAPES).map(([character, escaped]) => [escaped.charAt(1), character]),
)

/** One row, with its line break. */
export function copyLine(values: readonly CopiedValue[]): string {
  let line = ''
  for (let index = 0; index < values.length; index++) {
    if (index > 0) line += '\t'
    line += textOf(values[index] ?? null)
  }
  return `${line}\n`
}

function textOf(value: CopiedValue): string {
  if (typeof value === 'string')
    return SPECIAL.test(value) ? value.replace(SPECIALS, (character) => ESCAPES[character] ?? '') : value
  if (value === null) return NULL
  if (typeof value === 'number') return String(value)
  return `${BYTES}${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
}

/** The values of a line, which is given without its line break. */
export function valuesIn(line: string, types: readonly ColumnType[]): CopiedValue[] {
  const texts: CopiedValue[] = line.split('\t')
  if (texts.length !== types.length) throw new Error('A row has more or fewer values than its table has columns.')
  for (let index = 0; index < texts.length; index++) texts[index] = valueIn(texts[index] as string, types[index]) // as split
  return texts
}

function valueIn(text: string, type: ColumnType | undefined): CopiedValue {
  if (text === NULL) return null
  if (type === 'integer') return Number(text)
  if (type === 'bytes') return Buffer.from(text.slice(BYTES.length), 'hex')
  return text.includes('\\') ? text.replace(ESCAPED, (_, character) => UNESCAPES[character] ?? character) : text
}
