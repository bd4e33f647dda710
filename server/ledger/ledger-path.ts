import { existsSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { identityOf, statOf } from '../db/sqlite/open-files.ts'
import type { Db } from '../db/tables.ts'
import { OperatorError } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { partsOf } from '../lib/parts.ts'
import { LedgerFile } from './ledger-file.ts'

const FILE = 'revoked.db'
const ASKED_AT_ONCE = 500

interface LedgerPath {
  path: string
  /** For a database that has none yet: the portal that the ledger at this path belongs to. */
  installation?: string
}

/**
 * Where the ledger of this database is. Several databases of PostgreSQL may be used from one folder: unless `LEDGER` says
 * which, the first of their ledgers is called `revoked.db`, and others have the id of their portal in the name.
 */
export async function ledgerPath({ dataDir, ledger, postgres }: Config, read: Db, now: number): Promise<LedgerPath> {
  const path = ledger ?? join(dataDir, FILE)
  if (!postgres && fileAt(path) === fileAt(join(dataDir, 'portal.db')))
    throw new OperatorError('LEDGER must not be the database itself: choose another path.')
  const { installation } = await read.selectFrom('revocationState').select('installation').executeTakeFirstOrThrow()
  const own = (id: string) => ledgerOf(path, id)
  if (ledger !== undefined || !postgres) {
    if (installation !== '' && !existsSync(path) && existsSync(own(installation))) renameSync(own(installation), path) // see backup/restore.ts: a restore was killed
    return { path }
  }
  if (installation !== '' && existsSync(own(installation))) return { path: own(installation) }
  const owner = ownerOf(path)
  if (owner === undefined || owner === installation) return { path }
  if (installation !== '') return { path: own(installation) }
  if (await hasOrganizationOf(path, read)) return { path } // a copy from before there were ledgers
  const id = newId(now)
  return { path: own(id), installation: id }
}

const fileAt = (path: string) => identityOf([statOf(path)])

/** The path of the ledger of a portal where that of another one has the usual name. */
export const ledgerOf = (path: string, installation: string) => join(dirname(path), `revoked-${installation}.db`)

/** The portal that a ledger belongs to; undefined: there is none, or it is new. Whoever opens it last merges what is beside it. */
export const ownerOf = (path: string) =>
  existsSync(path) ? inFile(path, (file) => file.agreed()?.installation) : undefined

/** Whether the ledger has a revocation of an organization that is in this database. */
async function hasOrganizationOf(path: string, read: Db): Promise<boolean> {
  const all = inFile(path, (file) => file.organizationIds())
  for (const ids of partsOf(all, ASKED_AT_ONCE)) {
    const known = await read.selectFrom('organization').select('id').where('id', 'in', ids).limit(1).execute()
    if (known.length > 0) return true
  }
  return false
}

function inFile<Result>(path: string, read: (file: LedgerFile) => Result): Result {
  const file = new LedgerFile(path)
  try {
    return read(file)
  } finally {
    file.close()
  }
}
