import { badInput, isPrintable } from './check.ts'
import { isMoment } from './clock.ts'

export const DEFAULT_PAGE_SIZE = 100
export const MAX_PAGE_SIZE = 500
/** The sort key of a name has 320 bytes: beside it there is room for an order, an id and escapes. */
export const MAX_CURSOR_LENGTH = 2_000

export interface PageArgs {
  first?: number | null | undefined
  after?: string | null | undefined
}

/** The one shape of every list (C3). The total and the cursor are computed only when they are requested. */
export interface Page<Item> {
  data: Item[]
  pageInfo: { readonly hasNextPage: boolean; readonly endCursor: () => string | null }
  totalCount: () => Promise<number>
}

export function pageSize({ first }: PageArgs): number {
  const size = first ?? DEFAULT_PAGE_SIZE
  if (!(size >= 1 && size <= MAX_PAGE_SIZE)) throw badInput('first', `first: 1 to ${MAX_PAGE_SIZE}.`)
  return size
}

/** A page from `size + 1` rows: the last one only says whether there is a next page. */
export function pageOf<Row>(
  rows: Row[],
  size: number,
  cursorOf: (row: Row) => string,
  totalCount: () => Promise<number>,
): Page<Row> {
  const data = rows.length > size ? rows.slice(0, size) : rows
  return {
    data,
    pageInfo: {
      hasNextPage: rows.length > size,
      endCursor: () => {
        const last = data.at(-1)
        return last === undefined ? null : cursorOf(last)
      },
    },
    totalCount,
  }
}

/** A page of rows in the order of these columns, which its cursors hold. */
export const pageBy = <Column extends string, Row extends Record<Column, string | number>>(
  columns: readonly Column[],
  rows: Row[],
  size: number,
  totalCount: () => Promise<number>,
): Page<Row> => pageOf(rows, size, (row) => encodeCursor(columns.map((column) => row[column])), totalCount)

/** A page of a list with the newest first, which ids begin with: `find` returns rows before an id, or the first ones. */
export async function newestFirst<Row extends { id: string }>(
  args: PageArgs,
  find: (before: string | undefined, limit: number) => Promise<Row[]>,
  totalCount: () => Promise<number>,
): Promise<Page<Row>> {
  const size = pageSize(args)
  const cursor = decodeCursor(args, ['string'])
  return pageBy(['id'], await find(cursor?.[0], size + 1), size, totalCount)
}

/** A cursor contains the sort values of the last row, so the next page begins after it even if rows were added or removed. */
export function encodeCursor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

type CursorTypes = readonly ('string' | 'number')[]
type CursorValues<T extends CursorTypes> = { -readonly [I in keyof T]: T[I] extends 'number' ? number : string }

/** The values of a cursor, texts and times; undefined without one. Throws for a cursor that no list has returned. */
export function decodeCursor<const T extends CursorTypes>({ after }: PageArgs, types: T): CursorValues<T> | undefined {
  if (after === null || after === undefined) return undefined
  const values = cursorOf(after, types)
  if (!values) throw badInput('after', 'after: an endCursor of this list.')
  return values
}

/** Reads one of several kinds of cursors: undefined if it is not of this kind. */
export function cursorOf<const T extends CursorTypes>(after: string, types: T): CursorValues<T> | undefined {
  const values = parse(after)
  const fits = Array.isArray(values) && values.length === types.length && types.every((type, i) => isA(type, values[i]))
  return fits ? (values as CursorValues<T>) : undefined // each value was checked above
}

function isA(type: 'string' | 'number', value: unknown): boolean {
  if (typeof value === 'string') return type === 'string' && isPrintable(value)
  return type === 'number' && Number.isSafeInteger(value) && isMoment(Number(value))
}

function parse(cursor: string): unknown {
  if (cursor.length > MAX_CURSOR_LENGTH) return undefined
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
