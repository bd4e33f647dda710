import type { ApiError } from '../../../api/client.ts'
import type { FileRow } from './check-devices.ts'
import type { FileError } from './file-error.ts'
import type { ImportMode, PlannedRow } from './plan-import.ts'
import type { DevicesFile } from './read-devices.ts'
import type { WriteReport } from './write-rows.ts'

/** A file that was read, checked and compared with the devices that are there. */
export interface Checked {
  name: string
  file: DevicesFile
  plan: PlannedRow[]
}

/** An import that somebody has started, with what became of it so far. */
export interface Job {
  checked: Checked
  mode: ImportMode
  created: number
  updated: number
  /** Lines that the portal refused, and that were left out on purpose. */
  skipped: readonly FileRow[]
}

/** A file of which nothing can be imported, and why. */
export interface RefusedFile {
  name: string
  error: FileError | ApiError
}

export type ImportState =
  | { step: 'choose'; refused?: RefusedFile }
  | { step: 'reading'; doing: string; share: number | undefined }
  | { step: 'preview'; checked: Checked }
  | { step: 'writing'; written: number; of: number }
  | { step: 'report'; job: Job; report: WriteReport<FileRow> }
