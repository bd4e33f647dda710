import { MIGRATIONS } from '../db/migrate.ts'
import { type Check, failure, success, warning } from './check.ts'
import { hasTable } from './read-only-database.ts'

/** Whether this program and the database have the same version. */
export const migrations: Check = {
  name: 'migrations',
  async run({ database }) {
    if (!database) return []
    if (!(await hasTable(database, 'migration')))
      return [success('The database is empty: the first start creates the tables.')]
    const { version } = await database.first('select max("version") as "version" from "migration"')
    const has = Number(version)
    if (has > MIGRATIONS.length)
      return [
        failure(
          `The database is newer than this program (version ${has}, this one knows ${MIGRATIONS.length}).`,
          'Use the newer program, or restore a backup made before the upgrade.',
        ),
      ]
    if (has < MIGRATIONS.length)
      return [
        warning(
          `${MIGRATIONS.length - has} migrations are to be done (version ${has} of ${MIGRATIONS.length}).`,
          'Take a backup. The next start of this version migrates.',
        ),
      ]
    return [success(`The database has version ${has}, as this program.`)]
  },
}
