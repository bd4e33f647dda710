import { unguarded } from '../../../ui/csv-line.ts'
import { type CsvRow, createCsvReader, separatorOf } from './csv-reader.ts'
import { type Field, fieldOf, isReadOnly } from './device-fields.ts'
import { FileError, type RawDevice, type Reader } from './reader.ts'

const MAX_HEAD = 20_000

/** Devices of a CSV file: the first line names the columns, each further one is a device. */
export function csvDevices(): Reader {
  let head: string | undefined = ''
  let reader = createCsvReader(',')
  let columns: Column[] | undefined
  const ignored: string[] = []

  const devices = (rows: CsvRow[]): RawDevice[] =>
    rows.flatMap((row) => {
      if (columns) return [deviceOfRow(row, columns)]
      columns = columnsOf(row, ignored)
      return []
    })

  /** The separator is known with the first line that has text. */
  const begin = (text: string, isAll: boolean): CsvRow[] => {
    head += text
    const firstLine =
      /^[^\r\n]*(?=[\r\n])/.exec((head ?? '').trimStart())?.[0] ?? (isAll || (head ?? '').length > MAX_HEAD ? head : '')
    if (!firstLine) return []
    reader = createCsvReader(separatorOf(firstLine))
    const rows = reader.push(head ?? '')
    head = undefined
    return rows
  }

  return {
    ignored,
    push: (text) => devices(head === undefined ? reader.push(text) : begin(text, false)),
    end: () => {
      const rows = [...(head === undefined ? [] : begin('', true)), ...reader.end()]
      const last = devices(rows)
      if (!columns) throw new FileError('The file is empty.')
      return last
    },
  }
}

interface Column {
  heading: string
  field: Field | undefined
}

function columnsOf({ line, cells }: CsvRow, ignored: string[]): Column[] {
  const columns = cells.map((cell) => ({ heading: cell.trim(), field: fieldOf(cell) }))
  const seen = new Set<Field>()
  for (const { heading, field } of columns) {
    if (field === undefined) {
      if (heading !== '' && !isReadOnly(heading)) ignored.push(heading)
    } else if (seen.has(field)) throw new FileError(`Two columns are for ${field}.`, line)
    else seen.add(field)
  }
  if (!seen.has('name'))
    throw new FileError('The first line must name the columns, and one of them must be “name”.', line)
  return columns
}

function deviceOfRow({ line, cells }: CsvRow, columns: Column[]): RawDevice {
  const values = new Map<Field, unknown>()
  const extra = cells.slice(columns.length).some((cell) => cell.trim() !== '')
  for (const [index, { field }] of columns.entries()) {
    const value = field && index < cells.length ? cellValue(field, cells[index] ?? '') : undefined
    if (field && value !== undefined) values.set(field, value)
  }
  if (!values.has('name')) values.set('name', null)
  return {
    line,
    values,
    ...(extra && { error: `There are ${cells.length} cells, but ${columns.length} columns.` }),
  }
}

const YES = ['true', 'yes', '1', 'on', 'enabled']
const NO = ['false', 'no', '0', 'off', 'disabled']

/**
 * What a cell of a CSV file says; what makes no sense stays text, for the check to refuse. Undefined: an empty cell of a
 * field that has no empty value.
 */
function cellValue(field: Field, cell: string): unknown {
  const text = unguarded(cell).trim()
  if (field === 'enabled') return text === '' ? undefined : truthOf(text)
  if (field === 'tags') return tagsOf(text)
  if (text === '') return null
  return field === 'location.latitude' || field === 'location.longitude' ? degreesOf(text) : text
}

function truthOf(text: string): unknown {
  const word = text.toLowerCase()
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : text
}

/** `berlin; pilot` or `berlin, pilot`; a list in JSON where a tag has such a character inside. */
function tagsOf(text: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      // a tag may well begin with a bracket
    }
  }
  return text
    .split(/[,;]/)
    .map((tag) => tag.trim())
    .filter(Boolean)
}

/** With a decimal comma too, as spreadsheets of many countries write it. */
function degreesOf(text: string): unknown {
  const number = Number(text.replace(',', '.').replace('−', '-'))
  return Number.isFinite(number) ? number : text
}
