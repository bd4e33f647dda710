import { onOneLine } from '../server/lib/plain-text.ts'

const BETWEEN = '  '

/** A table: rows under headings, each column as wide as its widest cell. */
export function table(headings: string[], rows: string[][]): string {
  return aligned([headings.map((heading) => heading.toUpperCase()), ...rows])
}

/** One line for each name and value. */
export function detailLines(of: Record<string, string>): string {
  return aligned(Object.entries(of).map(([name, value]) => [`${BETWEEN}${name}`, value]))
}

/** Cuts a text to this many characters; the last one is then `…`. */
export function cut(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}

function aligned(dirty: string[][]): string {
  const rows = dirty.map((row) => row.map(onOneLine)) // a name with a line break could forge a line
  const widths: number[] = []
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
  }
  const lineOf = (row: string[]) =>
    row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell))).join(BETWEEN)
  return rows.map((row) => lineOf(row).trimEnd()).join('\n')
}

const widthOf = (text: string) => [...text].length
