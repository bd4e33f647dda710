import { existsSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { LedgerFile } from '../db/ledger-file.ts'
import type { Db } from '../db/tables.ts'
import { OperatorError } from '../lib/app-error.ts'
import { newId } from '../lib/id.ts'
import { partsOf } from '../lib/parts.ts'

const FILE = 'revoked.db'
const ASKED_AT_ONCE = 500

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
  if (!postgres && fileAt(path) === fileAt(join(dataDir, 'portal.db')))
    throw new OperatorError('LEDGER must not be the database itself: choose another path.')
  const { installation } = await read.selectFrom('revocationState').select('installation').executeTakeFirstOrThrow()
  const own = (id: string) => join(dirname(path), `revoked-${id}.db`)
  if (ledger !== undefined || !postgres) {
    if (installation !== '' && !existsSync(path) && existsSync(own(installation))) renameSync(own(installation), path) // see other-ledger.ts: a restore was killed
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

/** Volumes number their files alike. */
function fileAt(path: string): string | undefined {
  const file = statSync(path, { throwIfNoEntry: false, bigint: true })
  return file && `${file.dev}:${file.ino}`
}

/** The portal that a ledger belongs to; undefined: there is none, or it is new. */
const ownerOf = (path: string) => (existsSync(path) ? inFile(path, (file) => file.agreed()?.installation) : undefined)

/** Whether the ledger has a revocation of an organization that is in this database. */
async function hasOrganizationOf(path: string, read: Db): Promise<boolean> {
  for (const ids of partsOf(
    inFile(path, (file) => file.organizationIds()),
    ASKED_AT_ONCE,
  )) {
    const known = await read.selectFrom('organization').select('id').where('id', 'in', ids).limit(1).execute()
    if (known.length > 0) return true
  }
  return false
}

function inFile<Result>(path: string, look: (file: LedgerFile) => Result): Result {
  const file = new LedgerFile(path)
  try {
    return look(file)
  } finally {
    file.close()
  }
}
