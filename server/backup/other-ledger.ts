import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { LedgerFile } from '../db/ledger-file.ts'
import { OperatorError } from '../lib/app-error.ts'

/**
 * Puts the ledgers in their places when a database is replaced by that of another portal: that of the replaced one goes
 * with it, under its own name, and that of the restored one comes back if it was put aside once. Undefined: the ledger
 * in place is the right one. Throws if it is not known whose it is, before anything is done. On PostgreSQL each portal
 * has a ledger under its own name, unless `LEDGER` is set.
 */
export function exchangeOfLedgers(
  { ledger, dataDir, postgres }: Config,
  { replaced, restored }: { replaced: string; restored: string },
): (() => void) | undefined {
  const path = ledger ?? (postgres ? undefined : join(dataDir, 'revoked.db'))
  if (path === undefined || restored === '') return undefined
  const owner = existsSync(path) ? ownerOf(path) : undefined
  if (owner === restored) return undefined
  if (owner !== undefined && owner !== replaced)
    throw new OperatorError(
      `The ledger ${path} belongs to another portal than the backup: move it away, with the files beside it whose names begin like it, or set LEDGER to the ledger of the portal that was backed up.`,
    )
  const ledgerOf = (installation: string) => join(dirname(path), `revoked-${installation}.db`)
  const aside = owner === undefined ? undefined : ledgerOf(owner)
  if (aside !== undefined && existsSync(aside))
    throw new OperatorError(
      `Both ${path} and ${aside} are ledgers of the portal that would be replaced: move one of them away, with the files beside it whose names begin like it.`,
    )
  const own = ledgerOf(restored)
  if (existsSync(own)) ownerOf(own) // which merges what is beside it
  return () => {
    if (aside !== undefined) renameSync(path, aside)
    if (existsSync(own)) renameSync(own, path)
  }
}

function ownerOf(path: string): string | undefined {
  const file = new LedgerFile(path)
  const owner = file.agreed()?.installation
  file.close() // as the last one, which leaves nothing beside it
  return owner
}
