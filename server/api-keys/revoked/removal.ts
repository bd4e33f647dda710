import { sql } from 'kysely'
import type { Actor } from '../../ctx.ts'
import type { RevocationCause } from '../../db/api-key-tables.ts'
import type { Db } from '../../db/tables.ts'
import { checkText } from '../../lib/check.ts'

const MAX_REASON = 200

/** When, by whom and why keys are removed. */
export interface Removal {
  at: number
  by: Actor
  cause: RevocationCause
  /** In the words of whoever revokes. */
  reason?: string | null | undefined
}

/** A reason as it is stored; null: none was given. */
export const checkReason = (reason: string | null | undefined): string | null =>
  reason == null ? null : checkText('reason', reason, { max: MAX_REASON })

/** For the details of an audit event. */
export const reasonText = (reason: string | null | undefined): string => (reason == null ? '' : `; reason: ${reason}`)

/**
 * Records what may be shown of keys that the same transaction deletes afterwards. A key that a restored database has
 * brought back is on record already.
 */
export const removedKeysInsert = (db: Db, ids: readonly string[], { at, by, cause, reason }: Removal) =>
  db
    .insertInto('revokedApiKey')
    .columns([...COPIED, 'revokedAt', 'revokedByKind', 'revokedById', 'revokedByName', 'cause', 'reason'])
    .expression(
      db
        .selectFrom('apiKey')
        .select(COPIED)
        .select([
          given(at, 'bigint').as('revokedAt'),
          given(by.kind, 'text').as('revokedByKind'),
          given(by.id, 'text').as('revokedById'),
          given(by.name, 'text').as('revokedByName'),
          causeOf(cause).as('cause'),
          given(reason ?? null, 'text').as('reason'),
        ])
        .where('id', 'in', ids),
    )
    .onConflict((conflict) => conflict.doNothing())

const COPIED = [
  'id',
  'organizationId',
  'label',
  'prefix',
  'createdAt',
  'createdByKind',
  'createdById',
  'createdByName',
  'lastUsedAt',
] as const

/** PostgreSQL does not know the type of a parameter that is only selected. */
const given = <T>(value: T, type: 'text' | 'bigint') => sql<T>`cast(${value} as ${sql.raw(type)})`

/** A rotation is over with the expiration of the replaced key. */
const causeOf = (cause: RevocationCause) =>
  cause === 'EXPIRED'
    ? sql<RevocationCause>`case when "replacedById" is null then 'EXPIRED' else 'ROTATED' end`
    : given(cause, 'text')
