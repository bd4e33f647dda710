import type { LedgerFile } from '../db/ledger-file.ts'
import { serverParts } from '../db/server-identity.ts'
import { AppError } from '../lib/app-error.ts'
import { PORTAL } from '../lib/command-name.ts'

/**
 * Refuses a primary that has been replaced: the ledger knows a later timeline of the same system. It is never
 * reconciled, or two primaries would take turns at it.
 */
export function requireNotOldPrimary(server: string, file: LedgerFile): void {
  const { system, timeline } = serverParts(server)
  const { system: lastSystem, timeline: lastTimeline } = serverParts(file.lastIncarnation()?.subject ?? '')
  if (system !== lastSystem || timeline >= lastTimeline) return
  const message = `This server of PostgreSQL has been replaced: it is on timeline ${timeline}, and the ledger knows timeline ${lastTimeline}. Connect to the new primary. If it was restored on purpose, ${PORTAL} restore accept decides about its keys.`
  throw new ReplacedPrimary(message)
}

/** The operator may decide otherwise. */
export class ReplacedPrimary extends AppError {
  constructor(message: string) {
    super('UNAVAILABLE', { retryAfterSeconds: 5, cause: new Error(message), message })
  }
}
