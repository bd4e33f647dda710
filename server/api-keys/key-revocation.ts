import { type NewRevocation, type Receipt, recordRevocations } from '../db/revocations.ts'
import type { ApiKeyTable, Db } from '../db/tables.ts'
import { partsOf } from '../lib/parts.ts'

const READ_AT_ONCE = 500

/** For a key that is gone, by no clock: one that is behind would accept a restored key until its time has come. */
export const AT_ONCE = 0

export type EndingKey = Pick<ApiKeyTable, 'organizationId' | 'secretHash'>

/** The record that this key is refused from then on: it has the hash of the secret and nothing else about the key. */
export const keyRevocation = ({ organizationId, secretHash }: EndingKey, endsAt: number): NewRevocation => ({
  kind: 'KEY',
  organizationId,
  subject: Buffer.from(secretHash).toString('hex'),
  endsAt,
})

/** Records that these keys are refused from then on, in the transaction that revokes them; before it deletes them. */
export async function recordKeyRevocations(db: Db, ids: readonly string[], endsAt: number): Promise<Receipt> {
  const revocations: NewRevocation[] = []
  for (const part of partsOf(ids, READ_AT_ONCE)) {
    const keys = await db
      .selectFrom('apiKey')
      .select(['organizationId', 'secretHash'])
      .where('id', 'in', part)
      .orderBy('id')
      .execute()
    revocations.push(...keys.map((key) => keyRevocation(key, endsAt)))
  }
  return recordRevocations(db, revocations)
}
