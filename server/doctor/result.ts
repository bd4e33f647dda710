import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import type { ReadOnlyDatabase } from './read-only-database.ts'

export type Level = 'success' | 'warning' | 'failure'

/** What a check found, and what to do about it unless it is a success. */
export interface Finding {
  level: Level
  message: string
  action?: string
}

/** What is examined. Checks only read: they change neither files nor databases. */
export interface Installation {
  env: Readonly<Record<string, string | undefined>>
  config: Config
  /** Undefined: there is none yet, or it cannot be opened, which a check of its own reports. */
  database: ReadOnlyDatabase | undefined
  databaseError: Error | undefined
  options: DoctorOptions
  onProgress(words: string): void
}

export interface DoctorOptions {
  now: Clock
  /** The versions of SQLite; undefined: those of this process. */
  sqliteVersions?: (string | undefined)[]
  /** Free bytes of a disk below which there is a failure or a warning. */
  room: { failure: number; warning: number }
  ledgerPatienceMs: number
  /** The time limit of a check, where it has none of its own. */
  limitMs: number
}

/** What a check returns: what is false or undefined was not found. */
export type Found = Finding | false | undefined | Found[]

/** No findings: it does not apply to this installation. */
export type Check = (installation: Installation) => Promise<Found> | Found

export const success = (message: string): Finding => ({ level: 'success', message })
export const warning = (message: string, action: string): Finding => ({ level: 'warning', message, action })
export const failure = (message: string, action: string): Finding => ({ level: 'failure', message, action })

export const findingsIn = (found: Found): Finding[] =>
  Array.isArray(found) ? found.flatMap(findingsIn) : found ? [found] : []

export const orSuccess = (found: Found, message: string): Found =>
  findingsIn(found).length > 0 ? found : success(message)
