import type { RevocationPoint } from '../db/known-point.ts'
import { forUpdate } from '../db/locks.ts'
import {
  RESTORED,
  type RevocationKind,
  type RevocationStateTable,
  type RevocationTable,
} from '../db/revocation-tables.ts'
import type { Db } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { AppError, OperatorError } from '../lib/app-error.ts'
import { PORTAL } from '../lib/command-name.ts'
import { newId } from '../lib/id.ts'
import { partsOf } from '../lib/parts.ts'
import { randomWhole } from '../lib/random.ts'
import { compare } from './comparison.ts'
import { requireComplete } from './completeness.ts'
import { currentHold, holdSubject, wasDecided } from './held.ts'
import type { Agreed, LedgerFile } from './ledger-file.ts'
import { deleteReturnedKeys, reconcile } from './reconcile.ts'
import type { Reconciled } from './restore-notice.ts'

const INSERTED_AT_ONCE = 500

export interface Uniting {
  file: LedgerFile
  seen: RevocationPoint
  /** Up to here nothing is compared, at most. */
  base?: number
  now: number
  origin: string
  /** For a database that has none yet. */
  installation?: string | undefined
  /** A person has decided that this server is the one to use. */
  acceptsOldPrimary?: boolean | undefined
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
export async function unite(db: Transaction, uniting: Uniting): Promise<United> {
  const { file, seen, base, now, acceptsOldPrimary = false, newIncarnation = randomWhole } = uniting
  const before = await forUpdate(db, db.selectFrom('revocationState').selectAll()).executeTakeFirstOrThrow()
  await requireComplete(db)
  const server = db.server || before.server
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

/** A database that is empty while its ledger is not has lost its data, or is in a wrong folder: it does not become a first start. */
async function requireSamePortal(
  db: Db,
  { installation }: Pick<RevocationStateTable, 'installation'>,
  { agreed, path }: { agreed: Agreed | undefined; path: string },
): Promise<void> {
  if (!agreed) return
  if (installation !== '' && installation !== agreed.installation)
    throw new OperatorError(
      `The ledger ${path} belongs to another portal than the database: set LEDGER to the ledger of this database, or to a path where there is none yet.`,
    )
  if (installation === '' && (await isEmpty(db)))
    throw new OperatorError(
      `The database is empty, but its ledger ${path} is that of a portal in use: restore the database, with portal.db-wal if there was one. To start anew, move the ledger away too.`,
    )
}

async function isEmpty(db: Db): Promise<boolean> {
  const user = await db.selectFrom('user').select('id').limit(1).executeTakeFirst()
  const organization = await db.selectFrom('organization').select('id').limit(1).executeTakeFirst()
  return !user && !organization
}

interface Server {
  /** The cluster of PostgreSQL, as it was made; its standbys have the same. */
  system: string
  /** Each promotion and each recovery begins another one. */
  timeline: number
  /** One of its databases. */
  database: string
}

/** The timeline is hexadecimal in the names of WAL files. */
export function serverParts(server: string): Server {
  const [system = '', timeline = '', database = ''] = server.split('/')
  return { system, timeline: Number.parseInt(timeline, 16) || 0, database }
}

/** Refuses a primary that has been replaced: the ledger knows a later timeline of the same system. */
function requireNotOldPrimary(server: string, file: LedgerFile): void {
  const { system, timeline } = serverParts(server)
  const { system: lastSystem, timeline: lastTimeline } = serverParts(file.lastIncarnation()?.subject ?? '')
  if (system !== lastSystem || timeline >= lastTimeline) return
  const message = `This server of PostgreSQL has been replaced: it is on timeline ${timeline}, and the ledger knows timeline ${lastTimeline}. Connect to the new primary. If it was restored on purpose, ${PORTAL} restore accept decides about its keys.`
  throw new ReplacedPrimary(message)
}

/** The operator may decide otherwise. */
export class ReplacedPrimary extends AppError {
  constructor(message: string) {
    super('UNAVAILABLE', { retryAfterSeconds: 5, cause: new Error(message), message })
  }
}
