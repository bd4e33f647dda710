import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { ledgerOf, ownerOf } from '../ledger/ledger-path.ts'
import { OperatorError } from '../lib/app-error.ts'

/** Puts the ledger of a replaced portal aside, and that of the restored one back. Undefined: it is in place. Throws first if it is not known whose it is. */
export function exchangeOfLedgers(
  { ledger, dataDir, postgres }: Config,
  { replaced, restored }: { replaced: string; restored: string },
): (() => void) | undefined {
  const path = ledger ?? (postgres ? undefined : join(dataDir, 'revoked.db'))
  if (path === undefined || restored === '') return undefined
  const owner = ownerOf(path)
  if (owner === restored) return undefined
  if (owner !== undefined && owner !== replaced)
    throw new OperatorError(
      `The ledger ${path} belongs to another portal than the backup: move it away, with the files beside it whose names begin like it, or set LEDGER to the ledger of the portal that was backed up.`,
    )
  const aside = owner === undefined ? undefined : ledgerOf(path, owner)
  if (aside !== undefined && existsSync(aside))
    throw new OperatorError(
      `Both ${path} and ${aside} are ledgers of the portal that would be replaced: move one of them away, with the files beside it whose names begin like it.`,
    )
  const own = ledgerOf(path, restored)
  ownerOf(own) // which merges what is beside it
  return () => {
    if (aside !== undefined) renameSync(path, aside)
    if (existsSync(own)) renameSync(own, path)
  }
}
