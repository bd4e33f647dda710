import { hkdfSync } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { DAY, MINUTE } from '../lib/clock.ts'
import { readExistingSecret } from './secret-file.ts'

const LENGTH = 16
const NOTED_EVERY_MS = 10 * MINUTE
const FORGOTTEN_AFTER_MS = DAY
/** Processes that noted theirs within this time of each other ran together. */
export const RECENT_MS = 3 * NOTED_EVERY_MS

/** Tells secrets apart without revealing them: a key derived for this purpose. Undefined: there is no secret yet. */
export function secretFingerprint({ portalSecret, dataDir }: Config): string | undefined {
  const secret = portalSecret ?? readExistingSecret(dataDir)
  return secret && Buffer.from(hkdfSync('sha256', secret, '', 'fingerprint', LENGTH)).toString('hex')
}

/** Notes which secret this process uses, at its start and every few minutes: `portal doctor` compares them. */
export async function noteSecret(database: Database, config: Config, now: number): Promise<void> {
  const fingerprint = secretFingerprint(config)
  if (!fingerprint) return
  const noted = await database.read
    .selectFrom('secretFingerprint')
    .select('seenAt')
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (noted && noted.seenAt > now - NOTED_EVERY_MS) return
  await database.transaction(async (db) => {
    await db
      .insertInto('secretFingerprint')
      .values({ fingerprint, seenAt: now })
      .onConflict((conflict) => conflict.column('fingerprint').doUpdateSet({ seenAt: sql`excluded."seenAt"` }))
      .execute()
    await db
      .deleteFrom('secretFingerprint')
      .where('seenAt', '<', now - FORGOTTEN_AFTER_MS)
      .execute()
  })
}
