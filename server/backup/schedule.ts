import type { ChildProcess } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import type { BackupState, Deps } from '../deps.ts'
import { AppError } from '../lib/app-error.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { runCommand } from './child.ts'
import { claimBackup, RETRY_AFTER_MS, releaseClaim, renewClaim } from './claim.ts'
import { pathOf, prune, requireFolder, requireOwnFolder, takeFolder, unverified, verifiedIn } from './folder.ts'

const CHECK_EVERY_MS = 30 * SECOND
const RENEW_EVERY_MS = 30 * SECOND

export interface BackupSchedule extends BackupState {
  start(): void
  close(): Promise<void>
}

const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'UNAVAILABLE'

/**
 * Makes and verifies backups by schedule, each in a process of its own, and by one replica at a time. Undefined: there is
 * no folder for them. Throws if it cannot be written to.
 */
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
