import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { LedgerFile } from '../db/ledger-file.ts'
import type { Db } from '../db/tables.ts'
import { OperatorError } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { isEmpty } from './installation.ts'

const FILE = 'revoked.db'
const OR_NONE = { throwIfNoEntry: false } as const

interface LedgerPath {
  path: string
  /** For a database that has none yet: the portal that the ledger at this path belongs to. */
  installation?: string
}

/**
 * Where the ledger of this database is. Several databases of PostgreSQL may be used from one folder, one after the
 * other or at once, and each has a ledger: unless `LEDGER` says which, the first of them is called `revoked.db`, and
 * others have the id of their portal in the name. On SQLite the folder has one database.
 */
export async function ledgerPath({ dataDir, ledger, postgres }: Config, read: Db, now: number): Promise<LedgerPath> {
  const path = ledger ?? join(dataDir, FILE)
  if (!postgres && statSync(path, OR_NONE)?.ino === statSync(join(dataDir, 'portal.db')).ino)
    throw new OperatorError('LEDGER must not be the database itself: choose another path.')
  if (ledger !== undefined || !postgres) return { path }
  const { installation } = await read.selectFrom('revocationState').select('installation').executeTakeFirstOrThrow()
  const own = (id: string) => join(dataDir, `revoked-${id}.db`)
  if (installation !== '' && existsSync(own(installation))) return { path: own(installation) }
  const owner = ownerOf(path)
  if (owner === undefined || owner === installation) return { path }
  if (installation !== '') return { path: own(installation) }
  if (!(await isEmpty(read))) return { path } // from before there were ledgers
  const id = newId(now)
  return { path: own(id), installation: id }
}

/** The portal that a ledger belongs to; undefined: there is none, or it is new. */
function ownerOf(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  const file = new LedgerFile(path)
  const owner = file.agreed()?.installation
  file.close()
  return owner
}
