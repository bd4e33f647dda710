import type { DatabaseKind, TableShape } from '../db/dump.ts'
import { OperatorError } from '../lib/app-error.ts'

/*
 * A backup file: the header, one line of JSON that anybody can read; then chunks, each with its length, its content and
 * its tag (chunk-cipher.ts). The contents together are compressed by Zstandard, and are lines: JSON about the backup; for each
 * table JSON with its columns, its rows as COPY text (db/copy-text.ts), a line with \. and JSON with their number and
 * checksum; and JSON that says that this is all. docs/decisions/0029-backup-format.md has the reasons.
 */

export const FORMAT = 'edge-management-portal-backup'
export const FORMAT_VERSION = 1
export const MAX_HEADER_BYTES = 1024
export const CHUNK_BYTES = 256 * 1024
export const LENGTH_BYTES = 4
/** In the length of the last chunk. */
export const LAST_CHUNK = 0x80_00_00_00
export const END_OF_ROWS = '\\.'

export interface Header {
  format: typeof FORMAT
  version: number
  compression: 'zstd'
  /** Absent: it is not encrypted. */
  encryption?: { cipher: 'aes-256-gcm'; key: 'argon2id'; salt: string; check: string }
}

export interface About {
  /** The time of the snapshot, within a moment. */
  createdAt: number
  portal: string
  database: number
  kind: DatabaseKind
  installation: string
  rows: number
  secret?: string
}

export interface TableEnd {
  rows: number
  sha256: string
}

export interface TableStart extends TableShape {
  rows: number
}

export const damagedBackup = (path: string, cause?: unknown) =>
  new OperatorError(`The backup ${path} is damaged: use another one.`, cause)

export const truncatedBackup = (path: string) =>
  new OperatorError(`The backup ${path} is incomplete: its end is missing. Use another one.`)

export const notABackup = (path: string) =>
  new OperatorError(`The file ${path} is not a backup of the portal, or is damaged.`)
