import type { Config } from '../config.ts'
import { SECOND } from '../lib/clock.ts'
import { isOfThisMachine } from '../lib/host.ts'
import { connectionsOfAll } from '../lib/postgres-address.ts'
import { firstRow, type Row } from './read-only-database.ts'
import { type Finding, type Found, failure, type Installation, orSuccess, success, warning } from './result.ts'

/** Whether PostgreSQL can be reached as the portal does, and which version it is. Too old a one is refused. */
export async function postgresServer({
  config: { postgres, workers },
  database,
  databaseError,
}: Installation): Promise<Found> {
  if (!postgres) return []
  if (databaseError) {
    const [what = '', action = 'Check DATABASE_URL.'] = databaseError.message.split(/: (?=[a-z])/)
    return failure(`${what.replace(/\.$/, '')}.`, sentence(action))
  }
  if (!database) return []
  const row = await firstRow(database, SERVER)
  const connections = connectionsOfAll(postgres.connectionLimit, workers)
  return [success(`PostgreSQL ${row['version']}.`), serverFindings(row, connections), tlsFindings(postgres)]
}

/** A role and a database may have a limit of their own, -1: none. */
const SERVER = `select current_setting('server_version') as "version", least(current_setting('max_connections')::int
  - current_setting('superuser_reserved_connections')::int, nullif(datconnlimit, -1),
  (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)) as "connections",
  pg_encoding_to_char(encoding) as "encoding" from pg_database where datname = current_database()`

function serverFindings({ connections: allowed, encoding }: Row, connections: number): Found {
  return [
    connections > Number(allowed) &&
      failure(
        `The portal may open ${connections} connections, and PostgreSQL allows ${allowed}.`,
        'Lower connection_limit in DATABASE_URL, or WORKERS, or raise max_connections, or the limit of the role or the database: all replicas together need fewer than that.',
      ),
    encoding !== 'UTF8' &&
      failure(
        `The database has the encoding ${encoding}.`,
        'Create it with the encoding UTF8, and restore a backup into it.',
      ),
  ]
}

function tlsFindings({ tls, hosts }: NonNullable<Config['postgres']>): Found {
  const isChecked = tls === 'verify-full' || tls === 'verify-ca' || tls === 'disable' // the last one is somebody's decision
  if (isChecked || hosts.every(({ host }) => host.startsWith('/') || isOfThisMachine(host))) return []
  return warning(
    `The certificate of PostgreSQL is not checked (sslmode=${tls}), so anyone between here and there can read and change everything.`,
    'Add sslmode=verify-full to DATABASE_URL, or sslmode=disable in a network that nobody else uses.',
  )
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

/** Whether the role of the portal may do what it does, and not much more. */
export async function postgresRights({ config: { postgres }, database }: Installation): Promise<Found> {
  if (!postgres || !database) return []
  const { user } = postgres
  const role = await firstRow(database, ROLE)
  if (role['schema'] === null || role['create'] !== true)
    return failure(
      `The role ${user} may not create tables.`,
      `Make it the owner of the database: alter database … owner to ${user}`,
    )
  const tables = await database.query(TABLES)
  const foreign = tables.filter(({ usable, owned }) => usable !== true || owned !== true).map(({ name }) => name)
  return orSuccess(
    [
      foreign.length > 0 &&
        failure(
          `The role ${user} may not use or migrate ${foreign.slice(0, 3).join(', ')}${foreign.length > 3 ? ` and ${foreign.length - 3} more tables` : ''}.`,
          `Make it the owner, with all rights: alter table … owner to ${user}; grant all on … to ${user}`,
        ),
      role['superuser'] === true &&
        warning(
          `The role ${user} is a superuser.`,
          'Create a role that owns this database and nothing else: createuser, createdb --owner.',
        ),
      role['control'] !== true &&
        warning(
          `The role ${user} may not call pg_control_system(), so the portal cannot tell an old primary from a new one.`,
          `grant execute on function pg_control_system() to ${user}`,
        ),
    ],
    `The role ${user} may do what the portal needs.`,
  )
}

const ROLE = `select current_schema() as "schema", has_schema_privilege(current_schema(), 'CREATE') as "create",
  has_function_privilege('pg_control_system()', 'EXECUTE') as "control",
  (select rolsuper from pg_roles where rolname = current_user) as "superuser"`

/** The tables of the schema without those of extensions. */
const TABLES = `select relname as "name", pg_has_role(relowner, 'USAGE') as "owned",
  has_table_privilege(oid, 'SELECT') and has_table_privilege(oid, 'INSERT')
  and has_table_privilege(oid, 'UPDATE') and has_table_privilege(oid, 'DELETE') as "usable"
  from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
  and not exists (select 1 from pg_depend where objid = pg_class.oid and deptype = 'e') order by relname`

/** The clocks of replicas matter for log lines and certificates only: requests go by the clock of the database. */
const MAX_APART_MS = 2 * SECOND

/** Whether a commit that was answered survives a crash. */
export async function postgresDurability({ config: { postgres }, database }: Installation): Promise<Found> {
  if (!postgres || !database) return []
  const settings = await firstRow(database, SETTINGS)
  const off = ['fsync', 'full_page_writes'].filter((name) => settings[name] === 'off')
  return orSuccess(
    [
      ...off.map((name) =>
        failure(
          `${name} is off: a crash of the machine can lose answered revokes, or damage the database.`,
          `alter system set ${name} = on; select pg_reload_conf()`,
        ),
      ),
      settings['synchronous_commit'] === 'off' &&
        warning(
          'synchronous_commit is off. The portal overrides it for its own writes; those of other programs may be lost.',
          'alter system set synchronous_commit = on; select pg_reload_conf(). If it is set for the role or the database: alter role … reset synchronous_commit',
        ),
    ],
    'fsync, full_page_writes and synchronous_commit are on.',
  )
}

const SETTINGS = `select current_setting('fsync') as "fsync", current_setting('full_page_writes') as "full_page_writes",
  current_setting('synchronous_commit') as "synchronous_commit"`

/** Whether a revoke that was answered survives the loss of the primary. */
export async function postgresStandbys({ config: { postgres }, database }: Installation): Promise<Found> {
  if (!postgres || !database) return []
  const standbys = (await firstRow(database, STANDBYS)) as unknown as Standbys // its columns
  return findingOf(standbys, postgres.user)
}

interface Standbys {
  names: string
  commit: string
  all: number
  synchronous: number
  /** Whether this role may see which of them are synchronous. */
  visible: boolean
}

function findingOf({ names, commit, all, synchronous, visible }: Standbys, user: string): Finding {
  if (names !== '' && (all === 0 || (visible && synchronous === 0)))
    return failure(
      'synchronous_standby_names is set, and no such standby is connected: every write waits for it.',
      'Start the standby, or remove it from synchronous_standby_names.',
    )
  if (all === 0) return success('There is no standby: a backup is the only copy.')
  if (names === '')
    return warning(
      `No standby is synchronous, of ${all}: a failover can lose the last commits, also answered revokes that the ledger does not have.`,
      "alter system set synchronous_standby_names = 'ANY 1 (…)'",
    )
  if (commit !== 'on' && commit !== 'remote_apply')
    return warning(
      `A standby is synchronous, but synchronous_commit is ${commit}: a failover can lose the last commits.`,
      'alter system set synchronous_commit = on',
    )
  if (visible) return success(`${synchronous} of ${all} standbys are synchronous.`)
  return warning(
    `The role ${user} may not see which of ${all} standbys are synchronous.`,
    `To check it: grant pg_read_all_stats to ${user}`,
  )
}

const STANDBYS = `select current_setting('synchronous_standby_names') as "names", current_setting('synchronous_commit') as "commit",
  pg_has_role('pg_read_all_stats', 'USAGE') as "visible",
  (select count(*)::int from pg_stat_replication where coalesce(application_name, '') not like 'pg_basebackup%') as "all",
  (select count(*)::int from pg_stat_replication where sync_state in ('sync', 'quorum')) as "synchronous"`

/** How far the clock of this machine is from that of the database. */
export async function postgresClock({ config: { postgres }, database, options }: Installation): Promise<Found> {
  if (!postgres || !database) return []
  const sent = options.now()
  const { now } = await firstRow(
    database,
    `select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "now"`,
  )
  const apart = Math.abs(Number(now) - (sent + options.now()) / 2)
  const words = `The clocks of this machine and of the database are ${(apart / SECOND).toFixed(1)} s apart.`
  return [
    apart > MAX_APART_MS ? warning(words, 'Synchronize both (NTP): times in log lines are wrong.') : success(words),
  ]
}
