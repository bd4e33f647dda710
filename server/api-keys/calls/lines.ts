import { storable } from '../../lib/plain-text.ts'
import type { NumberedCall } from './call.ts'

const LONGEST_OPERATION = 60
const LONGEST_ADDRESS = 45
const LONGEST_CODE = 30
/** Of one line, with its numbers and quotes. */
export const LONGEST_LINE = 190

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
    operation === undefined ? null : storable(operation, LONGEST_OPERATION),
    storable(address, LONGEST_ADDRESS),
    status,
    Math.round(ms * 10) / 10,
    code === undefined ? null : storable(code, LONGEST_CODE),
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
