import { createChecker, type FileRow } from './check-devices.ts'
import { decodeText } from './decode-text.ts'
import { FileError, type LineError } from './file-error.ts'
import { csvDevices } from './read-csv.ts'
import { jsonDevices } from './read-json.ts'
import type { Reader } from './reader.ts'

const MEGABYTE = 1024 * 1024
const MAX_BYTES = 100 * MEGABYTE

export interface DevicesFile {
  rows: FileRow[]
  errors: LineError[]
  /** Of which `errors` has the first ones. */
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
  if (found.rows.length + found.errorCount === 0) throw new FileError('There is no device in the file.')
  return { ...found, ignored: reader.ignored, format }
}
