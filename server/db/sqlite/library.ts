import { DatabaseSync } from 'node:sqlite'
import { isSafeSqlite } from '../../../bin/sqlite-version.js'
import { OperatorError } from '../../lib/app-error.ts'

/** Refuses a SQLite that can lose what was committed, such as an answered revoke. */
export function requireSafeSqlite(versions = versionsHere()): void {
  for (const version of versions) {
    if (isSafeSqlite(version)) continue
    throw new OperatorError(
      `This Node.js (${process.version}) comes with SQLite ${version ?? 'of an unknown version'}, which can lose a committed write (fixed in 3.51.3 and 3.50.7): install a current Node.js 24 from https://nodejs.org, or use PostgreSQL by DATABASE_URL.`,
    )
  }
}

/** The version that Node.js was built with and the one that it runs with: some systems share one library among all programs. */
function versionsHere(): (string | undefined)[] {
  const database = new DatabaseSync(':memory:')
  const row = database.prepare('select sqlite_version() as "version"').get()
  database.close()
  return [process.versions['sqlite'], String(row?.['version'])]
}
