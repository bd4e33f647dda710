import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { LedgerFile } from '../db/ledger-file.ts'
import { OperatorError } from '../lib/app-error.ts'

/**
 * The ledger of a database that is replaced by that of another portal: it goes with its database, and the restored one
 * gets one of its own. Undefined: there is none in the way. Throws if it is not known whose it is, before anything is
 * done. On PostgreSQL each portal has a ledger under its own name, unless `LEDGER` is set.
 */
export function ledgerToSetAside(
  { ledger, dataDir, postgres }: Config,
  { replaced, restored }: { replaced: string; restored: string },
): { setAside(): void } | undefined {
  const path = ledger ?? (postgres ? undefined : join(dataDir, 'revoked.db'))
  if (path === undefined || restored === '' || !existsSync(path)) return undefined
  const owner = ownerOf(path)
  if (owner === undefined || owner === restored) return undefined
  if (owner === replaced) return { setAside: () => renameSync(path, join(dirname(path), `revoked-${owner}.db`)) }
  throw new OperatorError(
    `The ledger ${path} belongs to another portal than the backup: move it away, with the files beside it whose names begin like it, or set LEDGER to the ledger of the portal that was backed up.`,
  )
}

function ownerOf(path: string): string | undefined {
  const file = new LedgerFile(path)
  const owner = file.agreed()?.installation
  file.close() // as the last one, which leaves nothing beside it
  return owner
}
