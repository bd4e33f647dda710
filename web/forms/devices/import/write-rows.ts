import type { DeviceToWrite, Refusals } from '../../../api/bulk-devices.ts'
import { ApiError } from '../../../api/client.ts'
import type { LineError } from './reader.ts'

/** What one call takes: see `MAX_ITEMS` and the limits of a request in docs/api.md. */
const MAX_ROWS = 500
const MAX_BYTES = 200_000
const MAX_VALUES = 9_000

export interface RowToWrite {
  line: number
  input: DeviceToWrite
}

/** How an import has ended, and where. */
export interface WriteReport<Row> {
  /** In the order of the file: all before `rest` are written. */
  written: Row[]
  /** Not written; of the first of them it may not be known. */
  rest: Row[]
  /** Why lines of `rest` were refused. */
  errors: LineError[]
  /** Why it ended early, as a whole. */
  failure: Error | undefined
}

interface WriteOptions {
  signal: AbortSignal
  onWritten: (count: number) => void
}

/**
 * Writes one part after the other. Each part is written as a whole or not at all, and after one that is not, none is
 * sent: so all lines up to some line are written, and none behind it.
 */
export async function writeRows<Row extends RowToWrite>(
  rows: readonly Row[],
  send: (inputs: DeviceToWrite[]) => Promise<Refusals>,
  { signal, onWritten }: WriteOptions,
): Promise<WriteReport<Row>> {
  let count = 0
  const report = (errors: LineError[] = [], failure?: Error) => ({
    written: rows.slice(0, count),
    rest: rows.slice(count),
    errors,
    failure,
  })
  for (const part of partsOf(rows)) {
    if (signal.aborted) return report()
    try {
      const errors = errorsOf(part, await send(part.map(({ input }) => input)))
      if (errors.length > 0) return report(errors)
    } catch (error) {
      if (signal.aborted && !(error instanceof ApiError)) return report()
      if (!(error instanceof ApiError)) throw error
      return report([], error)
    }
    count += part.length
    onWritten(count)
  }
  return report()
}

/** The errors of rows that are at fault; the others of the part were only not written because of them. */
function errorsOf(part: readonly RowToWrite[], refusals: Refusals): LineError[] {
  const errors = part.flatMap(({ line }, index) =>
    (refusals[index] ?? []).map(({ code, message, field }) => ({
      line,
      code,
      ...(field ? { field, message: message.replace(`${field}: `, '') } : { message }), // the field has a column
    })),
  )
  const atFault = errors.filter(({ code }) => code !== 'NOT_APPLIED')
  return atFault.length > 0 ? atFault : errors
}

/** As many rows as one call takes. */
export function* partsOf<Row extends RowToWrite>(rows: readonly Row[]): Generator<Row[]> {
  let part: Row[] = []
  let bytes = 0
  let values = 0
  for (const row of rows) {
    const text = JSON.stringify(row.input)
    const size = new TextEncoder().encode(text).length
    const count = valuesIn(row.input)
    if (part.length === MAX_ROWS || bytes + size > MAX_BYTES || values + count > MAX_VALUES) {
      if (part.length > 0) yield part
      part = []
      bytes = 0
      values = 0
    }
    part.push(row)
    bytes += size
    values += count
  }
  if (part.length > 0) yield part
}

/** Values and the names of fields, as the portal counts them. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const inner = Object.values(value).reduce<number>((sum, one) => sum + valuesIn(one), 1)
  return Array.isArray(value) ? inner : inner + Object.keys(value).length
}
