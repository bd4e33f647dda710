import type { Field } from './device-fields.ts'

/** A device as a file has it, not checked yet. */
export interface RawDevice {
  line: number
  values: Map<Field, unknown>
  /** What is wrong with the line as a whole. */
  error?: string
}

/** Reads one format; text comes in pieces. */
export interface Reader {
  push(text: string): RawDevice[]
  end(): RawDevice[]
  /** The columns or fields that mean nothing here, known at the end. */
  ignored: string[]
}

/** Something wrong with one line of a file. */
export interface LineError {
  line: number
  /** As the portal names it: `location.latitude`. Absent: the line as a whole. */
  field?: string
  message: string
}

/** The file cannot be read any further: what follows the line could mean anything. */
export class FileError extends Error {
  readonly line: number | undefined

  constructor(message: string, line?: number) {
    super(message)
    this.name = 'FileError'
    this.line = line
  }
}
