import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { bringUpTo } from '../../../server/db/migrate.ts'
import { openDatabase } from '../../../server/db/open.ts'

/** The version of the last commit before upgrades were made in steps. */
export const PREVIOUS_VERSION = 11

/** Fills a folder with a database as that version left it, with an organization. */
export async function leaveOlderDatabase(dataDir: string, version = PREVIOUS_VERSION): Promise<void> {
  const database = await openDatabase({ dataDir })
  await database.transaction((db) => bringUpTo(db, database, version))
  await database.close()
  const plain = new DatabaseSync(join(dataDir, 'portal.db'))
  plain.exec(`insert into "organization" ("id", "kind", "name", "nameKey", "slug", "apiKeysEnabled", "createdAt")
    values ('o', 'ORGANIZATION', 'Acme', 'acme', 'acme', 1, 0)`)
  plain.close()
}

/** What a file has: its version, and whether it is sound. */
export function lookInto(path: string): { version: unknown; isSound: boolean } {
  const plain = new DatabaseSync(path)
  try {
    const version = plain.prepare('select max("version") as "version" from "migration"').get()?.['version']
    return { version, isSound: plain.prepare('pragma integrity_check').get()?.['integrity_check'] === 'ok' }
  } finally {
    plain.close()
  }
}
