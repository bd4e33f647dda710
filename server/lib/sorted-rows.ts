import { badInput } from './check.ts'
import { cursorOf, encodeCursor, type PageArgs } from './page.ts'

export type SortValues = (string | number)[]

/** An order in which rows are sorted here: the same for both databases, in any language. */
export interface SortOrder<Row> {
  /** At the beginning of its cursors, so that none is used in another order. The usual order of a list has none. */
  label: string | undefined
  isDescending: boolean
  types: readonly ('string' | 'number')[]
  /** What is compared; the last one is the id. */
  values: (row: Row) => SortValues
}

export function sorted<Row>(rows: readonly Row[], order: SortOrder<Row>): Row[] {
  return rows
    .map((row) => ({ row, values: order.values(row) }))
    .sort((a, b) => compare(a.values, b.values, order))
    .map(({ row }) => row)
}

export const isAfter = <Row>(row: Row, position: SortValues, order: SortOrder<Row>): boolean =>
  compare(order.values(row), position, order) > 0

export const cursorIn = <Row>(order: SortOrder<Row>, row: Row): string =>
  encodeCursor([...labelsOf(order), ...order.values(row)])

/** Where a cursor points to; undefined without one. Throws for a cursor of another order. */
export function positionIn<Row>(order: SortOrder<Row>, { after }: PageArgs): SortValues | undefined {
  if (after == null) return undefined
  const labels = labelsOf(order)
  const values: SortValues | undefined = cursorOf(after, [...labels.map(() => 'string' as const), ...order.types])
  if (!values || labels.some((label) => label !== values[0]))
    throw badInput('after', 'after: an endCursor of this list in the same order.')
  return values.slice(labels.length)
}

const labelsOf = <Row>({ label }: SortOrder<Row>) => (label === undefined ? [] : [label])

function compare<Row>(a: SortValues, b: SortValues, { isDescending }: SortOrder<Row>): number {
  const at = a.findIndex((value, index) => value !== b[index])
  if (at === -1) return 0
  const isLess = (a[at] ?? '') < (b[at] ?? '')
  return isLess === isDescending ? 1 : -1
}
