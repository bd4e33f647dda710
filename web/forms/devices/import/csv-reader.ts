import { FileError } from './reader.ts'

/** A quote that is never closed must not swallow the whole file before somebody says so. */
const MAX_CELL = 20_000

export interface CsvRow {
  /** Where the row begins; a cell in quotes may go on for several lines. */
  line: number
  cells: string[]
}

/**
 * Reads RFC 4180 as it arrives, in any pieces: quotes, doubled quotes, line ends of all systems. Empty lines are left out.
 * Each row knows its line, and what cannot be read is a FileError with the line where it begins.
 */
export function createCsvReader(separator: string) {
  let rows: CsvRow[] = []
  let cells: string[] = []
  let cell = ''
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start'
  let line = 1
  let rowLine = 1
  let quoteLine = 1
  let afterReturn = false

  const endCell = () => {
    cells.push(cell)
    cell = ''
    state = 'start'
  }
  const endRow = () => {
    endCell()
    if (cells.length > 1 || cells[0]?.trim()) rows.push({ line: rowLine, cells })
    cells = []
    rowLine = line
  }
  const take = (text: string) => {
    cell += text
    if (cell.length > MAX_CELL) throw state === 'quoted' ? notClosed() : new FileError('A cell is too long.', rowLine)
  }
  const notClosed = () => new FileError('A quote (") opens on this line and is never closed.', quoteLine)

  /** Up to the next quote; line ends inside of quotes are part of the cell. */
  function quoted(text: string, from: number): number {
    const found = text.indexOf('"', from)
    const to = found === -1 ? text.length : found
    const part = text.slice(from, to)
    const goesOn = cell.endsWith('\r') && part.startsWith('\n') // the two halves of one line end, in two pieces
    take(part)
    line += countLines(part) - (goesOn ? 1 : 0)
    if (found === -1) return to
    state = 'closed'
    return found + 1
  }

  /** Up to the next separator or line end. */
  function plain(text: string, from: number): number {
    let to = from
    while (to < text.length && text[to] !== separator && text[to] !== '\n' && text[to] !== '\r') to++
    if (to > from) {
      if (state === 'closed' && text.slice(from, to).trim() !== '') throw textAfterQuote()
      if (state !== 'closed') take(text.slice(from, to))
      if (state === 'start') state = 'plain'
    }
    if (to === text.length) return to
    if (text[to] === separator) endCell()
    else {
      line++
      endRow()
      afterReturn = text[to] === '\r'
    }
    return to + 1
  }

  const textAfterQuote = () =>
    quoteLine === line
      ? new FileError('There is text after a closing quote ("). Double a quote that is part of a cell: "".', line)
      : new FileError(`A quote (") opens on this line and is not closed before line ${line}.`, quoteLine)

  return {
    /** The rows that are complete with this piece. */
    push(text: string): CsvRow[] {
      rows = []
      let at = 0
      if (afterReturn && text !== '') {
        if (text[0] === '\n') at = 1
        afterReturn = false
      }
      while (at < text.length) {
        if (state === 'quoted') at = quoted(text, at)
        else if (text[at] === '"' && state !== 'plain') {
          if (state === 'closed') take('"')
          else quoteLine = line
          state = 'quoted'
          at++
        } else at = plain(text, at)
        if (afterReturn && at < text.length) {
          if (text[at] === '\n') at++
          afterReturn = false
        }
      }
      return rows
    },
    /** What is left at the end of the file. */
    end(): CsvRow[] {
      rows = []
      if (state === 'quoted') throw notClosed()
      if (cells.length > 0 || cell !== '' || state === 'closed') endRow()
      return rows
    },
  }
}

/** `\r\n` is one line end, and so is either of them alone. */
const countLines = (text: string): number => text.match(/\r\n?|\n/g)?.length ?? 0

/** The separator of a file by its first line: the one that is there most often outside of quotes. */
export function separatorOf(firstLine: string): string {
  const bare = firstLine.replace(/"[^"]*"/g, '')
  const [best] = [',', ';', '\t']
    .map((separator) => ({ separator, count: bare.split(separator).length }))
    .sort((a, b) => b.count - a.count)
  return best?.separator ?? ','
}
