import { requireComplete } from '../db/completeness.ts'
import type { RevocationPoint } from '../db/known-point.ts'
import type { LedgerFile } from '../db/ledger-file.ts'
import { forUpdate } from '../db/locks.ts'
import {
  RESTORED,
  type RevocationKind,
  type RevocationStateTable,
  type RevocationTable,
} from '../db/revocation-tables.ts'
import { serverOf } from '../db/server-identity.ts'
import type { Db } from '../db/tables.ts'
import { newId } from '../lib/id.ts'
import { partsOf } from '../lib/parts.ts'
import { randomWhole } from '../lib/random.ts'
import { compare } from './comparison.ts'
import { currentHold, holdSubject, wasDecided } from './held.ts'
import { requireSamePortal } from './installation.ts'
import { requireNotOldPrimary } from './old-primary.ts'
import { reconcile } from './reconcile.ts'
import type { Reconciled } from './restore-notice.ts'
import { deleteReturnedKeys } from './returned-keys.ts'

const INSERTED_AT_ONCE = 500

export interface Uniting {
  file: LedgerFile
  /** What this process has seen. */
  seen: RevocationPoint
  /** Up to here nothing is compared, at most. */
  base?: number
  now: number
  /** Where links in emails lead. */
  origin: string
  /** For a database that has none yet. */
  installation?: string | undefined
  /** A person has decided that this server is the one to use. */
  acceptsOldPrimary?: boolean | undefined
  /** Chooses the number of an incarnation. */
  newIncarnation?: ((before: number) => number) | undefined
}

export interface United {
  /** What both had in common up to here was not compared. */
  base: number
  state: RevocationStateTable
  missingInLedger: RevocationTable[]
  reconciled: Reconciled | undefined
}

/** Unites the ledger and the database, in a transaction of the database. */
export async function unite(db: Db, uniting: Uniting): Promise<United> {
  const { file, seen, base, now, acceptsOldPrimary = false, newIncarnation = randomWhole } = uniting
  const before = await forUpdate(db, db.selectFrom('revocationState').selectAll()).executeTakeFirstOrThrow()
  await requireComplete(db)
  const server = serverOf(db) || before.server
  const agreed = file.agreed()
  await requireSamePortal(db, before, { agreed, path: file.path })
  if (!acceptsOldPrimary) requireNotOldPrimary(server, file)

  const compared = await compare(db, { state: before, file, known: seen, base })
  const isFromBeforeLedger = before.installation === '' && agreed !== undefined
  const wentBack = compared.wentBack || isFromBeforeLedger || before.incarnation === RESTORED
  const isFirst = before.installation === ''
  const installation = before.installation || agreed?.installation || uniting.installation || newId(now)
  const state: RevocationStateTable = { ...before, installation, server }
  const added: RevocationTable[] = []
  if (wentBack || isFirst || server !== before.server) {
    const add = (kind: RevocationKind, subject: string) =>
      added.push({
        kind,
        subject,
        organizationId: '',
        endsAt: now,
        incarnation: state.incarnation,
        sequence: ++state.sequence,
      })
    state.incarnation = newIncarnation(before.incarnation)
    state.sequence = compared.highest
    add('INCARNATION', server)
    await insertRows(db, compared.missingInDatabase)
    if (isFromBeforeLedger)
      add('HELD', holdSubject(undefined)) // revocations without a record may be missing too
    else if (compared.gap && !(await wasDecided(db, compared.gap))) add('HELD', holdSubject(compared.gap))
    await insertRows(db, added)
  }
  state.heldSince = (await currentHold(db))?.endsAt ?? null
  const isHeld = state.heldSince !== null
  const reconciled = wentBack ? await reconcile(db, compared.missingInDatabase, { ...uniting, isHeld }) : undefined
  await db.updateTable('revocationState').set(state).execute()
  await deleteReturnedKeys(db, now)
  return { base: compared.base, state, missingInLedger: [...compared.missingInLedger, ...added], reconciled }
}

async function insertRows(db: Db, rows: readonly RevocationTable[]): Promise<void> {
  for (const part of partsOf(rows, INSERTED_AT_ONCE))
    await db
      .insertInto('revocation')
      .values([...part])
      .execute()
}
