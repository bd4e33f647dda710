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
