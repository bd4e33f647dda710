import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Present, RestoreTarget } from '../db/dump.ts'
import { bringUpTo } from '../db/migrate.ts'
import { openRestoreTarget } from '../db/open.ts'
import { RESTORED } from '../db/revocation-tables.ts'
import { ledgerOf, ownerOf } from '../ledger/ledger-path.ts'
import { openWithLedger } from '../ledger/open-ledger.ts'
import type { Reconciled } from '../ledger/restore-notice.ts'
import { OperatorError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { type Unreadable, unreadableEmails } from '../mail/encrypted-links.ts'
import { findSecret, replaceSecretFile } from '../mail/secret-file.ts'
import { fillFrom, requireKnownVersion } from './fill-database.ts'
import type { About, TableEnd } from './format.ts'
import { type OpenBackup, openBackup } from './read-backup.ts'
import type { Watch } from './write-backup.ts'

interface Restoring extends Watch {
  now: Clock
  log: Log
  /** What is there may be replaced … */
  replace: boolean
  /** … once this has returned. */
  confirm: (present: Present, to: { location: string; about: About }) => Promise<void>
  askPassphrase: () => Promise<string>
}

export interface Restored {
  about: About
  location: string
  tables: ({ name: string } & TableEnd)[]
  /** What was revoked again because the ledger knows of it, and the sessions and invitations that no longer work. */
  reconciled: Reconciled | undefined
  /** Since when no key is accepted, because revocations may be missing; null: keys are accepted. */
  heldSince: number | null
  /** There was none: what was revoked since the backup is not known. */
  isNewLedger: boolean
  secret: SecretPlace
  unreadable: Unreadable
}

/** Replaces the database by a backup, all or nothing, and unites it with its ledger. */
export async function restoreBackup(config: Config, path: string, restoring: Restoring): Promise<Restored> {
  const backup = await openBackup(path, restoring.askPassphrase)
  try {
    requireKnownVersion(backup, path)
    const { tables, location } = await fillTarget(config, backup, restoring)
    const secret = placeSecret(config, backup.about)
    const united = await uniteWithLedger(config, restoring.log).catch((error) => {
      if (!(error instanceof Error)) throw error
      throw new OperatorError(
        `The backup is restored, but not yet united with the ledger, which the next start does: ${error.message}`,
        error,
      )
    })
    return { about: backup.about, location, tables, secret, ...united }
  } finally {
    await backup.close()
  }
}

async function fillTarget(config: Config, backup: OpenBackup, { replace, confirm, ...options }: Restoring) {
  const target = await openRestoreTarget(config)
  try {
    const { location, present } = target
    if (present && !replace)
      throw new OperatorError(`The database in ${location} is not empty: --replace replaces all that is in it.`)
    const exchange = exchangeOfLedgers(config, { replaced: target.installation, restored: backup.about.installation })
    if (present) await confirm(present, { location, about: backup.about })
    const tables = await fill(target, backup, options)
    exchange?.()
    return { location, tables }
  } finally {
    await target.close()
  }
}

function fill(target: RestoreTarget, backup: OpenBackup, options: Pick<Restoring, 'now' | keyof Watch>) {
  return target.replace(async (filling) => {
    const written = await fillFrom(filling, backup, options)
    const { db, columnTypes } = filling
    await bringUpTo(db, { columnTypes, now: options.now })
    await db.updateTable('revocationState').set({ incarnation: RESTORED }).execute() // so that the next start unites, if this process is killed
    await db.deleteFrom('secretFingerprint').execute() // fingerprints for the processes of the backed up portal
    return [...written].map(([name, end]) => ({ name, ...end }))
  })
}

async function uniteWithLedger(config: Config, log: Log) {
  let reconciled: Reconciled | undefined
  const onReconciled = (again: Reconciled) => {
    reconciled = again
  }
  const { database, ledger, isNewLedger } = await openWithLedger(config, { log, onReconciled })
  try {
    const unreadable = await unreadableEmails(database.read, config)
    return { reconciled, heldSince: ledger.heldSince, isNewLedger, unreadable }
  } finally {
    await database.close()
  }
}

/** Missing: not encrypted, so not in it. Other: the variable has another one, which only the operator can change; that of the backup is in a file. */
export type SecretPlace = 'missing' | 'same' | 'written' | 'other'

export const RESTORED_SECRET = 'portal.secret.restored'

function placeSecret(config: Config, { secret }: About): SecretPlace {
  if (secret === undefined) return 'missing'
  if (findSecret(config) === secret) return 'same'
  if (config.portalSecret !== undefined) {
    replaceSecretFile(config.dataDir, secret, RESTORED_SECRET)
    return 'other'
  }
  replaceSecretFile(config.dataDir, secret)
  return 'written'
}

/** Puts the ledger of a replaced portal aside, and that of the restored one back. Undefined: it is in place. Throws first if it is not known whose it is. */
function exchangeOfLedgers(
  { ledger, dataDir, postgres }: Config,
  { replaced, restored }: { replaced: string; restored: string },
): (() => void) | undefined {
  const path = ledger ?? (postgres ? undefined : join(dataDir, 'revoked.db'))
  if (path === undefined || restored === '') return undefined
  const owner = ownerOf(path)
  if (owner === restored) return undefined
  if (owner !== undefined && owner !== replaced)
    throw new OperatorError(
      `The ledger ${path} belongs to another portal than the backup: move it away, with the files beside it whose names begin like it, or set LEDGER to the ledger of the portal that was backed up.`,
    )
  const aside = owner === undefined ? undefined : ledgerOf(path, owner)
  if (aside !== undefined && existsSync(aside))
    throw new OperatorError(
      `Both ${path} and ${aside} are ledgers of the portal that would be replaced: move one of them away, with the files beside it whose names begin like it.`,
    )
  const own = ledgerOf(path, restored)
  ownerOf(own) // which merges what is beside it
  return () => {
    if (aside !== undefined) renameSync(path, aside)
    if (existsSync(own)) renameSync(own, path)
  }
}
