import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { openReadOnly } from '../db/sqlite/read-only.ts'
import { PORTAL } from '../lib/command-name.ts'
import { existing } from './files.ts'
import { type ReadOnlyDatabase, type Row, rowsOf } from './read-only-database.ts'
import { type Finding, type Found, failure, type Installation, success, warning } from './result.ts'

const POLL_EVERY_MS = 100

/** Where revocations are on record outside of the database, and how far: docs/revocation.md has the levels. */
export async function ledger(installation: Installation): Promise<Found> {
  const { config, database } = installation
  const state = await stateOf(database)
  const path = pathOf(config, state)
  if (!existsSync(path)) return missing(config, path, state)
  const file = openOr(path)
  if (!file) return damaged(path)
  try {
    return [levelOf(config, path), await comparedWith(installation, file, path)]
  } catch {
    return damaged(path)
  } finally {
    file.close()
  }
}

export async function heldKeys({ database }: Installation): Promise<Found> {
  const state = await stateOf(database)
  if (!state) return []
  if (state['heldSince'] === null) return success('Keys are accepted.')
  return failure(
    'No key is accepted: the database was restored, and revocations may be missing.',
    `Decide which keys are accepted again: ${PORTAL} restore accept --help`,
  )
}

/** Undefined: a database from before there were ledgers, or an empty one. */
async function stateOf(database: ReadOnlyDatabase | undefined): Promise<Row | undefined> {
  const [state] = await rowsOf(database, 'revocationState', 'select * from "revocationState"')
  return state
}

/** As ledger/ledger-path.ts, which creates what is missing. */
function pathOf({ dataDir, ledger: given, postgres }: Config, state: Row | undefined): string {
  const own = join(dataDir, `revoked-${state?.['installation']}.db`)
  return given ?? (postgres && existsSync(own) ? own : join(dataDir, 'revoked.db'))
}

function missing(config: Config, path: string, state: Row | undefined): Finding {
  const folder = existing(dirname(path))
  const isUsed = Number(state?.['sequence'] ?? 0) > 0
  if (!mayWrite(folder))
    return (config.ledger || !config.postgres ? failure : warning)(
      `Level: none. There is no ledger, and ${folder} cannot be written to: a restored database would bring revoked keys back.`,
      'Set LEDGER to a path that the portal can write to, best on a volume that all replicas reach.',
    )
  if (isUsed)
    return warning(
      `There is no ledger at ${path}, although keys have been revoked: the next start fills a new one from the database.`,
      'Check LEDGER and its volume: perhaps the ledger that knows the past is elsewhere.',
    )
  return success(`The first start creates the ledger ${path}.`)
}

const damaged = (path: string) =>
  failure(
    `The ledger ${path} cannot be read, is damaged or is not a ledger.`,
    'Check its owner. If it is damaged, move it away: the portal writes a new one from the database.',
  )

function levelOf({ ledger: given, postgres }: Config, path: string): Finding {
  if (!mayWrite(path) || !mayWrite(dirname(path)))
    return failure(
      `The ledger ${path} cannot be written to.`,
      'Make the user of the portal its owner, and of its folder.',
    )
  const words = `Level: one for all processes that use ${path}.`
  if (given) return success(words)
  if (!postgres) return success(`${words} Leave it out of backups of this folder, or set LEDGER to another volume.`)
  return warning(
    `Level: one for each replica, ${path}, since LEDGER is unset. Revokes of the last two seconds before a failover or a lost disk may come back.`,
    'Set LEDGER to a path on a volume that all replicas reach, if they run on one machine.',
  )
}

/** A portal that runs copies what is missing within two seconds, so it is given some time. */
async function comparedWith({ database, options }: Installation, file: DatabaseSync, path: string): Promise<Found> {
  if (!database) return []
  for (const until = performance.now() + options.ledgerPatienceMs; ; await pause(POLL_EVERY_MS)) {
    const state = await stateOf(database)
    const agreed = file.prepare('select "installation" from "agreed"').get()
    if (!state || !agreed || state['installation'] === '') return []
    if (state['installation'] !== agreed['installation'])
      return failure(
        `The ledger ${path} belongs to another portal than the database.`,
        'Set LEDGER to the ledger of this database, or to a path where there is none yet.',
      )
    const head = Number(file.prepare('select max("sequence") as "sequence" from "revocation"').get()?.['sequence'] ?? 0)
    const behind = Number(state['sequence']) - head
    if (behind === 0) return []
    if (performance.now() < until) continue
    return behind > 0 ? isBehind(behind) : isAhead(-behind)
  }
}

const isBehind = (rows: number) =>
  warning(
    `The ledger is ${rows} revocations behind the database.`,
    'Start the portal, which copies them. If it is running, see its log: the ledger may be full or not writable.',
  )

const isAhead = (rows: number) =>
  warning(
    `The ledger has ${rows} revocations that the database does not have: the database was restored, or is an old one.`,
    'The next start revokes these keys again. If this is the wrong database, check DATABASE_URL or DATA_DIR first.',
  )

function openOr(path: string): DatabaseSync | undefined {
  try {
    return openReadOnly(path)
  } catch {
    return undefined
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
