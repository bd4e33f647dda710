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
  /** Why it cannot be opened. */
  databaseError: Error | undefined
  options: DoctorOptions
  /** Says what takes long. */
  onProgress(words: string): void
}

/** Settings that tests change. */
export interface DoctorOptions {
  now: Clock
  /** Of SQLite; undefined: those of this process. */
  sqliteVersions?: (string | undefined)[]
  /** Free bytes of a disk below which there is a failure or a warning. */
  room: { failure: number; warning: number }
  /** How long one that is behind may take to catch up. */
  ledgerPatienceMs: number
  /** The time limit of a check that has none of its own. */
  limitMs: number
}

export interface Check {
  name: string
  limitMs?: number
  /** No findings: it does not apply to this installation. */
  run(installation: Installation): Promise<Finding[]> | Finding[]
}

export const success = (message: string): Finding => ({ level: 'success', message })
export const warning = (message: string, action: string): Finding => ({ level: 'warning', message, action })
export const failure = (message: string, action: string): Finding => ({ level: 'failure', message, action })

/** The findings, or a success where there are none. */
export const orSuccess = (findings: Finding[], message: string): Finding[] =>
  findings.length > 0 ? findings : [success(message)]
