import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { connectionsOfAll } from '../lib/postgres-address.ts'
import { type Check, type Finding, failure, orSuccess, success, warning } from './check.ts'
import type { Row } from './read-only-database.ts'

/** Whether PostgreSQL can be reached as the portal does, and which version it is. Too old a one is refused. */
export const postgresServer: Check = {
  name: 'PostgreSQL server',
  async run({ config: { postgres, workers }, database, databaseError }) {
    if (!postgres) return []
    if (databaseError) {
      const [what = '', action = 'Check DATABASE_URL.'] = databaseError.message.split(/: (?=[a-z])/)
      return [failure(`${what.replace(/\.$/, '')}.`, sentence(action))]
    }
    if (!database) return []
    const row = await database.first(SERVER)
    const connections = connectionsOfAll(postgres.connectionLimit, workers)
    return [success(`PostgreSQL ${row['version']}.`), ...serverFindings(row, connections), ...tlsFindings(postgres)]
  },
}

/** A role and a database may have a limit of their own, -1: none. */
const SERVER = `select current_setting('server_version') as "version", least(current_setting('max_connections')::int
  - current_setting('superuser_reserved_connections')::int, nullif(datconnlimit, -1),
  (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as "connections",
  pg_encoding_to_char(encoding) as "encoding" from pg_database where datname = current_database()`

function serverFindings({ connections: allowed, encoding }: Row, connections: number): Finding[] {
  return [
    ...(connections > Number(allowed)
      ? [
          failure(
            `The portal may open ${connections} connections, and PostgreSQL allows ${allowed}.`,
            'Lower connection_limit in DATABASE_URL, or WORKERS, or raise max_connections, or the limit of the role or the database: all replicas together need fewer than that.',
          ),
        ]
      : []),
    ...(encoding !== 'UTF8'
      ? [
          failure(
            `The database has the encoding ${encoding}.`,
            'Create it with the encoding UTF8, and restore a backup into it.',
          ),
        ]
      : []),
  ]
}

function tlsFindings({ tls, hosts }: NonNullable<Config['postgres']>): Finding[] {
  const isChecked = tls === 'verify-full' || tls === 'verify-ca' || tls === 'disable' // the last one is somebody's decision
  if (isChecked || hosts.every(({ host }) => isOnThisMachine(host))) return []
  return [
    warning(
      `The certificate of PostgreSQL is not checked (sslmode=${tls}), so anyone between here and there can read and change everything.`,
      'Add sslmode=verify-full to DATABASE_URL, or sslmode=disable in a network that nobody else uses.',
    ),
  ]
}

const isOnThisMachine = (host: string) =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

/** Whether the role of the portal may do what it does, and not much more. */
export const postgresRights: Check = {
  name: 'PostgreSQL rights',
  async run({ config: { postgres }, database }) {
    if (!postgres || !database) return []
    const { user } = postgres
    const role = await database.first(ROLE)
    if (role['schema'] === null || role['create'] !== true)
      return [
        failure(
          `The role ${user} may not create tables.`,
          `Make it the owner of the database: alter database … owner to ${user}`,
        ),
      ]
    const tables = await database.query(TABLES)
    const foreign = tables.filter(({ usable, owned }) => usable !== true || owned !== true).map(({ name }) => name)
    return orSuccess(
      [
        ...(foreign.length > 0
          ? [
              failure(
                `The role ${user} may not use or migrate ${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ` and ${foreign.length - 3} more tables` : ''}.`,
                `Make it the owner, with all rights: alter table … owner to ${user}; grant all on … to ${user}`,
              ),
            ]
          : []),
        ...(role['superuser'] === true
          ? [
              warning(
                `The role ${user} is a superuser.`,
                'Create a role that owns this database and nothing else: createuser, createdb --owner.',
              ),
            ]
          : []),
        ...(role['control'] !== true
          ? [
              warning(
                `The role ${user} may not call pg_control_system(), so the portal cannot tell an old primary from a new one.`,
                `grant execute on function pg_control_system() to ${user}`,
              ),
            ]
          : []),
      ],
      `The role ${user} may do what the portal needs.`,
    )
  },
}

const ROLE = `select current_schema() as "schema", has_schema_privilege(current_schema(), 'CREATE') as "create",
  has_function_privilege('pg_control_system()', 'EXECUTE') as "control",
  (select rolsuper from pg_roles where rolname = current_user) as "superuser"`

/** But those of extensions. */
const TABLES = `select relname as "name", pg_has_role(relowner, 'USAGE') as "owned",
  has_table_privilege(oid, 'SELECT') and has_table_privilege(oid, 'INSERT')
  and has_table_privilege(oid, 'UPDATE') and has_table_privilege(oid, 'DELETE') as "usable"
  from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
  and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e') order by relname`
