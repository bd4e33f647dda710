import type { Agreed } from '../db/ledger-file.ts'
import type { RevocationStateTable } from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import { OperatorError } from '../lib/app-error.ts'

/**
 * Requires that the ledger belongs to this database. A database that is empty while its ledger is not has lost its
 * data: a copy without its write-ahead log, or a wrong folder. It does not become a first start.
 */
export async function requireSamePortal(
  db: Db,
  { installation }: Pick<RevocationStateTable, 'installation'>,
  { agreed, path }: { agreed: Agreed | undefined; path: string },
): Promise<void> {
  if (!agreed) return
  if (installation !== '' && installation !== agreed.installation)
    throw new OperatorError(
      `The ledger ${path} belongs to another portal than the database: set LEDGER to the ledger of this database, or to a path where there is none yet.`,
    )
  if (installation === '' && (await isEmpty(db)))
    throw new OperatorError(
      `The database is empty, but its ledger ${path} is that of a portal in use: restore the database, with portal.db-wal if there was one. To start anew, move the ledger away too.`,
    )
}

/** Nobody has used it yet. */
async function isEmpty(db: Db): Promise<boolean> {
  const user = await db.selectFrom('user').select('id').limit(1).executeTakeFirst()
  const organization = await db.selectFrom('organization').select('id').limit(1).executeTakeFirst()
  return !user && !organization
}
