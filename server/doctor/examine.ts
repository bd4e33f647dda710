import { SECOND, systemClock } from '../lib/clock.ts'
import { within } from '../lib/within.ts'
import { type Check, type DoctorOptions, type Finding, failure, type Installation } from './check.ts'
import { CHECKS } from './checks.ts'
import { configuration, readConfiguration } from './configuration.ts'
import { openReadOnlyDatabase } from './read-only-database.ts'
import { unknownVariables } from './unknown-variables.ts'

const MIB = 1024 * 1024
const SLOW_AFTER_MS = SECOND

const OPTIONS: DoctorOptions = {
  now: systemClock,
  room: { failure: 64 * MIB, warning: 1024 * MIB },
  ledgerPatienceMs: 3 * SECOND,
  limitMs: 20 * SECOND,
}

/** A finding, with the name of its check. */
export interface Examined extends Finding {
  check: string
}

type OnProgress = Installation['onProgress']

/**
 * Examines an installation, whether or not a portal is running on it, and changes nothing. Without a valid configuration
 * nothing else can be examined.
 */
export async function examine(
  env: Installation['env'],
  onProgress: OnProgress = () => {},
  given: Partial<DoctorOptions> = {},
): Promise<Examined[]> {
  const options = { ...OPTIONS, ...given }
  const read = readConfiguration(env)
  if ('finding' in read) {
    const installation = { env, options, onProgress } as Installation // all that the second check reads
    const others = await unknownVariables.run(installation)
    return [{ check: configuration.name, ...read.finding }, ...named(unknownVariables, others)]
  }
  const { config } = read
  const opened = await openReadOnlyDatabase(config).then(
    (database) => ({ database, databaseError: undefined }),
    (error: Error) => ({ database: undefined, databaseError: error }),
  )
  const installation: Installation = { env, config, ...opened, options, onProgress }
  const examined: Examined[] = []
  try {
    for (const check of CHECKS) examined.push(...named(check, await findingsOf(check, installation)))
  } finally {
    opened.database?.close()
  }
  return examined
}

/** A check that takes too long, or that fails itself, is a failure. */
async function findingsOf(check: Check, installation: Installation): Promise<Finding[]> {
  const { limitMs = installation.options.limitMs } = check
  const slow = setTimeout(() => installation.onProgress(`checking ${check.name}`), SLOW_AFTER_MS)
  const late = () => new Error(`It took longer than ${limitMs / SECOND} s`)
  try {
    return await within(
      limitMs,
      Promise.resolve().then(() => check.run(installation)),
      late,
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [
      failure(`This could not be checked: ${reason}.`, 'Check whether what it needs can be reached, and try again.'),
    ]
  } finally {
    clearTimeout(slow)
  }
}

const named = ({ name }: Check, findings: readonly Finding[]): Examined[] =>
  findings.map((finding) => ({ check: name, ...finding }))
