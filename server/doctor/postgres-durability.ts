import { SECOND } from '../lib/clock.ts'
import { type Check, type Finding, failure, orSuccess, success, warning } from './check.ts'

/** The clocks of replicas matter for log lines and certificates only: requests go by the clock of the database. */
const MOST_APART_MS = 2 * SECOND

/** Whether a commit that was answered survives a crash. */
export const postgresDurability: Check = {
  name: 'PostgreSQL durability',
  async run({ config: { postgres }, database }) {
    if (!postgres || !database) return []
    const settings = await database.first(SETTINGS)
    const off = ['fsync', 'full_page_writes'].filter((name) => settings[name] === 'off')
    return orSuccess(
      [
        ...off.map((name) =>
          failure(
            `${name} is off: a crash of the machine can lose answered revokes, or damage the database.`,
            `alter system set ${name} = on; select pg_reload_conf()`,
          ),
        ),
        ...(settings['synchronous_commit'] === 'off'
          ? [
              warning(
                'synchronous_commit is off. The portal overrides it for its own writes; those of other programs may be lost.',
                'alter system set synchronous_commit = on; select pg_reload_conf(). If it is set for the role or the database: alter role … reset synchronous_commit',
              ),
            ]
          : []),
      ],
      'fsync, full_page_writes and synchronous_commit are on.',
    )
  },
}

const SETTINGS = `select current_setting('fsync') as "fsync", current_setting('full_page_writes') as "full_page_writes",
  current_setting('synchronous_commit') as "synchronous_commit"`

/** Whether a revoke that was answered survives the loss of the primary. */
export const postgresStandbys: Check = {
  name: 'PostgreSQL standbys',
  async run({ config: { postgres }, database }) {
    if (!postgres || !database) return []
    const standbys = (await database.first(STANDBYS)) as unknown as Standbys // its columns
    return [findingOf(standbys, postgres.user)]
  },
}

interface Standbys {
  /** The setting synchronous_standby_names. */
  names: string
  /** The setting synchronous_commit. */
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
export const postgresClock: Check = {
  name: 'clock',
  async run({ config: { postgres }, database, options }) {
    if (!postgres || !database) return []
    const sent = options.now()
    const { now } = await database.first(`select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as "now"`)
    const apart = Math.abs(Number(now) - (sent + options.now()) / 2)
    const words = `The clocks of this machine and of the database are ${(apart / SECOND).toFixed(1)} s apart.`
    return [
      apart > MOST_APART_MS ? warning(words, 'Synchronize both (NTP): times in log lines are wrong.') : success(words),
    ]
  },
}
