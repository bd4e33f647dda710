import { endKeys } from '../api-keys/revoke.ts'
import { about, insertEvent } from '../audit/audit-event.ts'
import { COMMAND_LINE } from '../caller/ctx.ts'
import type { Database } from '../db/database.ts'
import { forUpdate } from '../db/locks.ts'
import type { Db, OrganizationTable } from '../db/tables.ts'
import type { Receipt, Transaction } from '../db/transaction.ts'
import { AppError } from '../lib/app-error.ts'

/** A hold that is in force, for the question whether to end it. */
export interface Hold {
  since: number
  /** Changes when the database is restored once more. */
  incarnation: number
}

export interface Accepted {
  revoked: string[]
  accepted: number
  at: number
  receipt: Receipt
}

type HeldKey = { id: string; organizationId: string; secretHash: Uint8Array }

export async function findHold(db: Db): Promise<Hold | undefined> {
  const { heldSince, incarnation } = await stateOf(db).executeTakeFirstOrThrow()
  return heldSince === null ? undefined : { since: heldSince, incarnation }
}

/** Accepts the keys of a restored database but these. Throws CONFLICT if the hold that was asked about is over. */
export function acceptKeys(database: Database, hold: Hold, toRevoke: ReadonlySet<string>): Promise<Accepted> {
  return database.transaction(
    async (db) => {
      const keys = await lockKeys(db) // before the state, as every revoke does
      await requireStillHeld(db, hold)
      const at = database.now()
      const revoked = keys.filter(({ id }) => toRevoke.has(id))
      await db.updateTable('revocationState').set({ heldSince: null }).execute()
      await endKeys(db, revoked, { at, by: COMMAND_LINE, cause: 'RESTORED' })
      const receipt = db.recordRevocations([{ kind: 'RELEASED', organizationId: '', subject: '', endsAt: at }])
      await recordDecision(db, { keys, revoked, at })
      return { revoked: revoked.map(idOf), accepted: keys.length - revoked.length, at, receipt }
    },
    { isLong: true }, // the keys of all organizations
  )
}

const stateOf = (db: Db) => db.selectFrom('revocationState').select(['heldSince', 'incarnation'])

const lockKeys = (db: Db): Promise<HeldKey[]> =>
  forUpdate(db, db.selectFrom('apiKey').select(['id', 'organizationId', 'secretHash']).orderBy('id')).execute()

async function requireStillHeld(db: Db, { incarnation }: Hold): Promise<void> {
  const state = await forUpdate(db, stateOf(db)).executeTakeFirstOrThrow()
  if (state.heldSince === null) throw new AppError('CONFLICT', { message: NOT_HELD })
  if (state.incarnation !== incarnation) throw new AppError('CONFLICT', { message: CHANGED })
}

export const NOT_HELD = 'No API key is held: there is nothing to decide.'
const CHANGED =
  'The database or its ledger has changed since the question, so nothing was done: run the command again, and look at the keys once more.'

/** In the audit log of every organization, and of the personal accounts that lost a key. */
async function recordDecision(
  db: Transaction,
  { keys, revoked, at }: { keys: HeldKey[]; revoked: HeldKey[]; at: number },
): Promise<void> {
  const all = Map.groupBy(keys, ({ organizationId }) => organizationId)
  const ended = Map.groupBy(revoked, ({ organizationId }) => organizationId)
  for (const { id: organizationId, name: subject, kind } of await organizationsOf(db)) {
    const gone = ended.get(organizationId) ?? []
    if (kind === 'PERSONAL' && gone.length === 0) continue
    const accepted = (all.get(organizationId)?.length ?? 0) - gone.length
    const details = `keys accepted ${accepted}, revoked ${gone.length}${gone.length === 0 ? '' : `: ${gone.map(idOf).join(', ')}`}`
    await insertEvent(db, at, {
      action: 'api_keys.released',
      ...about('ORGANIZATION', organizationId, subject),
      details,
      actor: COMMAND_LINE,
      organizationId,
    })
  }
}

const organizationsOf = (db: Db): Promise<Pick<OrganizationTable, 'id' | 'name' | 'kind'>[]> =>
  db.selectFrom('organization').select(['id', 'name', 'kind']).orderBy('id').execute()

const idOf = ({ id }: { id: string }) => id
