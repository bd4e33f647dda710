import { type Config, readConfig } from '../config.ts'
import { SECOND, systemClock } from '../lib/clock.ts'
import { messageOf } from '../lib/error-text.ts'
import { within } from '../lib/within.ts'
import { firstAdminProblems } from '../process/first-start.ts'
import { backup } from './backup.ts'
import { INTEGRITY_LIMIT_MS, migrations, sqliteIntegrity, sqliteVersion } from './database-checks.ts'
import { diskSpace, fileModes } from './files.ts'
import { heldKeys, ledger } from './ledger-check.ts'
import { postgresClock, postgresDurability, postgresRights, postgresServer, postgresStandbys } from './postgres.ts'
import { proxy } from './proxy.ts'
import { baseUrl } from './public-address.ts'
import { openReadOnlyDatabase } from './read-only-database.ts'
import {
  type Check,
  type DoctorOptions,
  type Finding,
  type Found,
  failure,
  findingsIn,
  type Installation,
  success,
} from './result.ts'
import { portalSecret, webhookSecrets } from './secrets.ts'
import { mail, valkey } from './services.ts'
import { unknownVariables } from './unknown-variables.ts'

/** In this order, by their names. */
const CHECKS: Record<string, Check> = {
  configuration: () => success('All variables have values that the portal accepts.'),
  'unknown variables': unknownVariables,
  'file modes': fileModes,
  'disk space': diskSpace,
  'SQLite version': sqliteVersion,
  'SQLite integrity': sqliteIntegrity,
  'PostgreSQL server': postgresServer,
  'PostgreSQL rights': postgresRights,
  'PostgreSQL durability': postgresDurability,
  'PostgreSQL standbys': postgresStandbys,
  clock: postgresClock,
  migrations,
  ledger,
  'held keys': heldKeys,
  backup,
  PORTAL_SECRET: portalSecret,
  'webhook secrets': webhookSecrets,
  mail,
  Valkey: valkey,
  BASE_URL: baseUrl,
  proxy,
}

const MIB = 1024 * 1024
const SLOW_AFTER_MS = SECOND

const OPTIONS: DoctorOptions = {
  now: systemClock,
  room: { failure: 64 * MIB, warning: 1024 * MIB },
  ledgerPatienceMs: 3 * SECOND,
  limitMs: 20 * SECOND,
}

export interface Examined extends Finding {
  check: string
}

type OnProgress = Installation['onProgress']

/** Examines an installation, running or not, and changes nothing. With an invalid configuration it stops there. */
export async function examine(
  env: Installation['env'],
  onProgress: OnProgress = () => {},
  given: Partial<DoctorOptions> = {},
): Promise<Examined[]> {
  const options = { ...OPTIONS, ...given }
  const config = configOr(env)
  if (config instanceof Error) {
    const wrong = failure(config.message, 'Correct these variables. Everything else is checked once they are right.')
    return [...named('configuration', wrong), ...named('unknown variables', unknownVariables({ env }))]
  }
  const opened = await openReadOnlyDatabase(config).then(
    (database) => ({ database, databaseError: undefined }),
    (error: Error) => ({ database: undefined, databaseError: error }),
  )
  const installation: Installation = { env, config, ...opened, options, onProgress }
  const examined: Examined[] = []
  try {
    for (const [name, check] of Object.entries(CHECKS)) {
      const found = await findingsOf(name, async () => check(installation), installation)
      examined.push(...named(name, found))
    }
  } finally {
    opened.database?.close()
  }
  return examined
}

/** The settings, or what is wrong with them; the checks need them. */
function configOr(env: Installation['env']): Config | Error {
  try {
    return readConfig(env, firstAdminProblems)
  } catch (error) {
    return new Error(messageOf(error))
  }
}

/** A check that takes too long, or that fails itself, is a failure. */
async function findingsOf(name: string, run: () => Promise<Found>, installation: Installation): Promise<Found> {
  const limitMs = name === 'SQLite integrity' ? INTEGRITY_LIMIT_MS : installation.options.limitMs
  const slow = setTimeout(() => installation.onProgress(`checking ${name}`), SLOW_AFTER_MS)
  const late = () => new Error(`It took longer than ${limitMs / SECOND} s`)
  try {
    return await within(limitMs, run(), late)
  } catch (error) {
    return failure(
      `This could not be checked: ${messageOf(error)}.`,
      'Check whether what it needs can be reached, and try again.',
    )
  } finally {
    clearTimeout(slow)
  }
}

const named = (check: string, found: Found): Examined[] => findingsIn(found).map((finding) => ({ check, ...finding }))
