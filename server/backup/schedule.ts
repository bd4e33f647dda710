import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import type { BackupState, Deps } from '../caller/deps.ts'
import type { Database } from '../db/database.ts'
import { forUpdate } from '../db/locks.ts'
import type { BackupScheduleTable } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { INSTALLED } from '../lib/installation.ts'
import { pathOf, prune, requireFolder, requireOwnFolder, takeFolder, unverified, verifiedIn } from './folder.ts'

const CHECK_EVERY_MS = 30 * SECOND
const RENEW_EVERY_MS = 30 * SECOND

export interface BackupSchedule extends BackupState {
  start(): void
  close(): Promise<void>
}

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'UNAVAILABLE'

/** Makes and verifies backups by schedule, one replica at a time. Undefined: there is no folder; throws if it is not writable. */
export function createBackupSchedule({ config, database, log, now, backupCheckMs }: Deps): BackupSchedule | undefined {
  const { backups } = config
  if (!backups) return undefined
  const { dir, everyMs, keep } = backups
  requireFolder(dir)
  const claimant = newId(now())
  const state: { verifiedAt: number | null; failures: number } = { verifiedAt: null, failures: 0 }
  let timer: NodeJS.Timeout | undefined
  let inProgress: Promise<void> = Promise.resolve()
  let child: ChildProcess | undefined
  let isClosed = false

  async function check(): Promise<void> {
    try {
      const { verifiedAt, installation } = await database.read
        .selectFrom(['backupSchedule', 'revocationState'])
        .select(['verifiedAt', 'installation'])
        .executeTakeFirstOrThrow()
      state.verifiedAt = verifiedAt
      requireFolder(dir) // it may have been removed, or its volume
      requireOwnFolder(dir, installation)
      const hasNone = verifiedIn(dir).length === 0
      const at = database.now()
      if (!isClosed && (await claimBackup(database, { claimant, everyMs, hasNone }))) await make(installation, at)
    } catch (error) {
      if (!isUnavailable(error)) failed(error) // otherwise the database is away, and says so elsewhere
    }
    if (!isClosed) wait(backupCheckMs ?? CHECK_EVERY_MS)
  }

  /** All times are those of the database: replicas take turns, and their clocks differ. */
  async function make(installation: string, at: number): Promise<void> {
    const path = pathOf(dir, at)
    const renewal = setInterval(() => void renewClaim(database, claimant).catch(() => {}), RENEW_EVERY_MS).unref()
    const run = (args: string[]) => {
      if (isClosed) throw new Error('The portal is closing.')
      return runCommand(args, (started) => {
        child = started
      })
    }
    let verifiedAt: number | undefined
    try {
      prune(dir, { keep, now: at }) // what a killed process left may be what fills the disk
      const made = (await run(['backup', unverified(path)])) as { rows: number; bytes: number } // its JSON
      await run(['backup', 'verify', unverified(path), '--scratch', dir])
      takeFolder(dir, installation)
      renameSync(unverified(path), path)
      verifiedAt = at
      state.verifiedAt = verifiedAt
      log.info({ backup: path, rows: made.rows, bytes: made.bytes }, 'a backup was made and verified')
      const deleted = prune(dir, { keep, now: at })
      if (deleted.length > 0) log.info({ deleted }, 'old backups were deleted')
    } catch (error) {
      rmSync(unverified(path), { force: true })
      if (!isClosed) failed(error)
    } finally {
      clearInterval(renewal)
      await releaseClaim(database, claimant, verifiedAt)
    }
  }

  function failed(error: unknown): void {
    state.failures++
    const retryMinutes = Math.min(everyMs, RETRY_AFTER_MS) / MINUTE
    log.error({ err: error, retryMinutes }, 'a scheduled backup failed; it will be tried again')
  }

  function wait(ms: number): void {
    timer = setTimeout(() => {
      inProgress = check()
    }, ms).unref()
  }

  return {
    get verifiedAt() {
      return state.verifiedAt
    },
    get failures() {
      return state.failures
    },
    start: () => wait(0),
    async close() {
      isClosed = true
      clearTimeout(timer)
      child?.kill('SIGTERM')
      await inProgress
    },
  }
}

/** Runs a command of `portal` with the settings of this process, with less of the processor when it is scarce. */
async function runCommand(args: readonly string[], onStart: (child: ChildProcess) => void): Promise<unknown> {
  const child = spawn(process.execPath, [INSTALLED.commandLine, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onStart(child)
  lowerPriority(child)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended(child)])
  if (child.exitCode !== 0)
    throw new Error(messageIn(stderr) ?? `It was stopped (${child.signalCode ?? child.exitCode}).`)
  return JSON.parse(stdout)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // not permitted, or it is gone already
  }
}

function messageIn(stderr: string): string | undefined {
  try {
    return JSON.parse(stderr).error.message
  } catch {
    return stderr.trim() || undefined
  }
}

/** Renewed while a backup is being made: from a process that was killed, another takes over after this time. */
const CLAIM_MS = 2 * MINUTE
const RETRY_AFTER_MS = 10 * MINUTE

interface Claiming {
  claimant: string
  everyMs: number
  /** There is no verified backup in the folder: then one is due, whatever the database says. */
  hasNone: boolean
}

/** Whether a backup is due, and this process is the one to make it. */
export function claimBackup(database: Database, { claimant, everyMs, hasNone }: Claiming): Promise<boolean> {
  return database.transaction(async (db) => {
    const schedule = await forUpdate(db, db.selectFrom('backupSchedule').selectAll()).executeTakeFirstOrThrow()
    const now = database.now()
    if (now < dueAt(schedule, { everyMs, hasNone, now })) return false
    const claim = { claimedBy: claimant, claimedUntil: now + CLAIM_MS, startedAt: now }
    await db.updateTable('backupSchedule').set(claim).execute()
    return true
  })
}

function dueAt(
  schedule: BackupScheduleTable,
  { everyMs, hasNone, now }: Pick<Claiming, 'everyMs' | 'hasNone'> & { now: number },
): number {
  /** A time that is later than it can be was written while the clock was ahead: otherwise none would be made until then. */
  const plausible = (at: number | null) => (at === null || at > now + 2 * CLAIM_MS ? 0 : at)
  const [claimedUntil, startedAt] = [plausible(schedule.claimedUntil), plausible(schedule.startedAt)]
  const verifiedAt = hasNone ? 0 : plausible(schedule.verifiedAt)
  return Math.max(claimedUntil, startedAt + Math.min(everyMs, RETRY_AFTER_MS), verifiedAt + everyMs)
}

export const renewClaim = (database: Database, claimant: string): Promise<unknown> =>
  change(database, claimant, { claimedUntil: database.now() + CLAIM_MS })

/** Gives it back; with the time of the backup if that has been verified. */
export const releaseClaim = (database: Database, claimant: string, verifiedAt?: number): Promise<unknown> =>
  change(database, claimant, { claimedUntil: 0, ...(verifiedAt !== undefined && { verifiedAt }) })

const change = (database: Database, claimant: string, values: Partial<BackupScheduleTable>) =>
  database.transaction((db) => db.updateTable('backupSchedule').set(values).where('claimedBy', '=', claimant).execute())
