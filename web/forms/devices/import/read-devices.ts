import { createChecker, type FileRow } from './check-devices.ts'
import { csvDevices } from './read-csv.ts'
import { jsonDevices } from './read-json.ts'
import { FileError, type LineError, type Reader } from './reader.ts'

const MEGABYTE = 1024 * 1024
const MAX_BYTES = 100 * MEGABYTE

export interface DevicesFile {
  rows: FileRow[]
  errors: LineError[]
  /** The number of all errors; `errors` has the first ones. */
  errorCount: number
  /** Columns or fields that mean nothing here. */
  ignored: string[]
  format: 'csv' | 'json'
}

interface ReadOptions {
  onProgress?: (share: number) => void
  signal?: AbortSignal
}

/** Reads and checks a whole file, a piece at a time, so that the page stays usable. Nothing is sent anywhere. */
export async function readDevices(file: Blob, { onProgress, signal }: ReadOptions = {}): Promise<DevicesFile> {
  if (file.size > MAX_BYTES) throw new FileError(`The file is larger than ${MAX_BYTES / MEGABYTE} MB. Split it.`)
  const checker = createChecker()
  let reader: Reader | undefined
  let start = ''
  let format: DevicesFile['format'] = 'csv'
  for await (const { text, bytes } of decodeText(file)) {
    signal?.throwIfAborted()
    onProgress?.(bytes / Math.max(file.size, 1))
    if (reader) checker.add(reader.push(text))
    else {
      start += text
      if (start.trim() === '') continue // what it is, is seen by the first character
      format = /^\s*[[{]/.test(start) ? 'json' : 'csv'
      reader = format === 'json' ? jsonDevices() : csvDevices()
      checker.add(reader.push(start))
    }
  }
  if (!reader) throw new FileError('The file is empty.')
  checker.add(reader.end())
  const found = checker.found()
  if (found.rows.length + found.errorCount === 0) throw new FileError('The file contains no devices.')
  return { ...found, ignored: reader.ignored, format }
}

const PIECE = 128 * 1024
const HEAD = 4096
const REPLACED = '\uFFFD'

/** The text of a file in pieces, read as they are wanted. What is no UTF-8 text is a FileError that says what it is. */
async function* decodeText(file: Blob): AsyncGenerator<{ text: string; bytes: number }> {
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer())
  const kind = notText(head)
  if (kind) throw new FileError(kind)
  const decoder = new TextDecoder('utf-8', { fatal: true }) // takes a byte order mark away by itself
  let lines = 1
  for (let from = 0; from < file.size || from === 0; from += PIECE) {
    await aTurnForOthers()
    const bytes = new Uint8Array(await file.slice(from, from + PIECE).arrayBuffer())
    const isLast = from + PIECE >= file.size
    const text = decoded(decoder, bytes, isLast, lines)
    if (text.includes('\0')) throw new FileError(BINARY)
    lines += text.split('\n').length - 1
    yield { text, bytes: Math.min(from + PIECE, file.size) }
  }
}

/** The page is drawn and clicks are answered before the next piece. */
const aTurnForOthers = () => new Promise((resolve) => setTimeout(resolve))

function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, isLast: boolean, lines: number): string {
  try {
    return decoder.decode(bytes, { stream: !isLast })
  } catch {
    const readable = new TextDecoder().decode(bytes).split(REPLACED)[0] ?? ''
    throw new FileError(NOT_UTF8, lines + readable.split('\n').length - 1)
  }
}

const NOT_UTF8 = 'The file is not UTF-8 text. Save it as UTF-8: in Excel, “CSV UTF-8 (Comma delimited)”.'
const UTF16 = 'The file is UTF-16 text. Save it as UTF-8: in Excel, “CSV UTF-8 (Comma delimited)”.'
const WORKBOOK = 'This is a workbook or an archive, not text. Save the sheet as “CSV UTF-8 (Comma delimited)”.'
const BINARY = 'This is not a text file. Choose a CSV or JSON file.'

/** What a file is by its first bytes, unless it can be text. */
function notText(head: Uint8Array): string | undefined {
  const [a, b] = head
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) return UTF16
  if (a === 0x50 && b === 0x4b && (head[2] ?? 0) < 0x09) return WORKBOOK // PK and a number, not a letter
  if (!head.includes(0)) return undefined
  return hasEverySecondZero(head) ? UTF16 : BINARY
}

/** Latin text in UTF-16, without a byte order mark. */
function hasEverySecondZero(head: Uint8Array): boolean {
  const zeros = [0, 0]
  for (const [index, byte] of head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1
  const [most, least] = zeros.toSorted((x, y) => y - x)
  return (most ?? 0) > head.length / 4 && (least ?? 0) < head.length / 50
}
