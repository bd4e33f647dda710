import { storable } from '../../lib/plain-text.ts'

/** The maximum number of accepted calls of a key that are stored, and of refused ones. */
export const MAX_CALLS = 100

/** A call that was answered. Variables are not part of it. */
export interface Call {
  at: number
  /** Undefined: the document was not read, or is invalid. */
  operation: string | undefined
  address: string
  status: number
  ms: number
  code: string | undefined
}

/** Each call of a process has a number, by which one that was written twice is recognized. */
export interface NumberedCall extends Call {
  number: number
}

const MAX_OPERATION_LENGTH = 60
const MAX_ADDRESS_LENGTH = 45
const MAX_CODE_LENGTH = 30
/** Characters of one line, with its numbers and quotes. */
export const MAX_LINE_LENGTH = 190

/** One line of JSON for each call, the newest first. What callers have sent is cleaned and cut. */
export const linesOf = (calls: readonly NumberedCall[]): string =>
  calls
    .toSorted((a, b) => b.number - a.number)
    .map(lineOf)
    .join('')

const lineOf = ({ number, at, operation, address, status, ms, code }: NumberedCall): string =>
  `${JSON.stringify([
    number,
    at,
    operation === undefined ? null : storable(operation, MAX_OPERATION_LENGTH),
    storable(address, MAX_ADDRESS_LENGTH),
    status,
    Math.round(ms * 10) / 10,
    code === undefined ? null : storable(code, MAX_CODE_LENGTH),
  ])}\n`

type Line = [number, number, string | null, string, number, number, string | null]

/** The calls in lines, each with its line. The last line is ignored unless it is whole. */
export function callsIn(lines: string): { call: NumberedCall; line: string }[] {
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [number, at, operation, address, status, ms, code] = JSON.parse(line) as Line // as written above
      const call = { number, at, operation: operation ?? undefined, address, status, ms, code: code ?? undefined }
      return { call, line: `${line}\n` }
    })
}
