import type { Database } from '../db/database.ts'
import { atTheEnd } from '../db/locks.ts'
import type { Sighted } from '../lib/sightings.ts'

/** Writes when and from where keys were last used; never backwards, and nothing for a key that is gone. */
export function writeLastUsed(database: Database, sightings: readonly Sighted[]): Promise<void> {
  return database.transaction(async (db) => {
    for (const { id, at, from } of sightings) {
      const update = db
        .updateTable('apiKey')
        .set({ lastUsedAt: at, lastUsedFrom: from })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', at)]))
      await atTheEnd(db, update) // a revoke of the key waits for it
    }
  })
}
