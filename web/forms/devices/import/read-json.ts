import { FIELDS, type Field, isReadOnly } from './device-fields.ts'
import { FileError, type RawDevice, type Reader } from './reader.ts'

const MAX_IGNORED = 50

/** Devices of a JSON file: a list of objects as the API has them. */
export function jsonDevices(): Reader {
  const reader = createJsonReader()
  const ignored: string[] = []
  const ignore = (name: string) => {
    if (!isReadOnly(name) && !ignored.includes(name) && ignored.length < MAX_IGNORED) ignored.push(name)
  }
  const devices = (items: JsonItem[]) => items.map((item) => deviceOfItem(item, ignore))
  return {
    ignored,
    push: (text) => devices(reader.push(text)),
    end: () => devices(reader.end()),
  }
}

function deviceOfItem({ line, value }: JsonItem, ignore: (name: string) => void): RawDevice {
  const values = new Map<Field, unknown>()
  if (!isObject(value)) return { line, values, error: 'This must be an object: { "name": "press-7" }.' }
  for (const [name, part] of Object.entries(value)) {
    if (name === 'location' && part === null) for (const field of PLACES) values.set(field, null)
    else if (name === 'location' && isObject(part)) {
      for (const [inner, one] of Object.entries(part)) put(`location.${inner}`, one)
    } else put(name, part)
  }
  if (!values.has('name')) values.set('name', null)
  return { line, values }

  function put(name: string, part: unknown): void {
    const field = FIELDS.find((known) => known === name)
    if (field) values.set(field, field === 'tags' && part === null ? [] : part)
    else ignore(name)
  }
}

const PLACES = FIELDS.filter((field) => field.startsWith('location.'))

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One object of the list cannot be larger: a bracket that is never closed is found early. */
const MAX_ITEM = 100_000
/** A list of its own, or the answer of the API around it: `{ "data": { "devices": { "data": [`. */
const OPENING = /^\s*((?:\{\s*"[^"\\]*"\s*:\s*)*)\[/
const MAX_OPENING = 1_000

interface JsonItem {
  line: number
  value: unknown
}

/** Reads the objects of a JSON list as they arrive, in any pieces. Each knows the line where it begins. */
function createJsonReader() {
  let opening: string | undefined = ''
  let isWrapped = false
  let isDone = false
  let item = ''
  let items: JsonItem[] = []
  let line = 1
  let itemLine = 1
  let depth = 0
  let inString = false
  let isEscaped = false
  let count = 0

  /** From the first bracket on; before it there is nothing to read. */
  function open(text: string): string {
    opening += text
    const found = OPENING.exec(opening ?? '')
    if (!found) {
      if ((opening ?? '').length > MAX_OPENING) throw noList()
      return ''
    }
    const rest = (opening ?? '').slice(found[0].length)
    isWrapped = found[1] !== ''
    line += found[0].split('\n').length - 1
    itemLine = line
    opening = undefined
    return rest
  }

  function endItem(mayBeEmpty: boolean): void {
    if (item.trim() === '') {
      if (!mayBeEmpty) throw new FileError('Unexpected comma: a device is missing.', line)
    } else {
      const at = firstLine()
      items.push({ line: at, value: parsed(item.trimStart(), at) })
      count++
    }
    item = ''
    itemLine = line
  }

  /** The line on which the item begins, without the blanks before it. */
  const firstLine = () => itemLine + item.slice(0, item.length - item.trimStart().length).split('\n').length - 1

  function inside(char: string): void {
    if (inString) {
      if (isEscaped) isEscaped = false
      else if (char === '\\') isEscaped = true
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
  }

  function read(text: string): void {
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const char = text[at] ?? ''
      if (isDone) {
        afterwards(text.slice(at))
        return
      }
      const isBetween = depth === 0 && !inString
      if (isBetween && (char === ',' || char === ']')) {
        item += text.slice(from, at)
        endItem(char === ']' && count === 0)
        from = at + 1
        isDone = char === ']'
      } else inside(char)
      if (char === '\n') line++
    }
    if (isDone) return
    item += text.slice(from)
    if (item.length > MAX_ITEM) throw new FileError('The device that starts on this line is not closed.', firstLine())
  }

  function afterwards(text: string): void {
    if (!isWrapped && text.trim() !== '') throw new FileError('Unexpected text after the list.', line)
  }

  return {
    /** The objects that are complete with this piece. */
    push(text: string): JsonItem[] {
      items = []
      read(opening === undefined ? text : open(text))
      return items
    },
    /** A file that was cut off is not half a list. */
    end(): JsonItem[] {
      if (opening !== undefined) throw noList()
      if (!isDone)
        throw new FileError('The list is not closed: the file ends too early, or a bracket is missing.', firstLine())
      return []
    },
  }
}

const noList = () => new FileError('A JSON file must hold a list of devices: [{ "name": "press-7" }, …].', 1)

function parsed(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FileError('This is not valid JSON.', line + linesBefore(text, String(error)))
  }
}

/** Browsers say in one of two ways how far they came. */
function linesBefore(text: string, message: string): number {
  const named = /\bline (\d+)/.exec(message)?.[1]
  if (named !== undefined) return Number(named) - 1
  const position = /\bposition (\d+)/.exec(message)?.[1]
  return position === undefined ? 0 : text.slice(0, Number(position)).split('\n').length - 1
}
