import type { Database } from '../db/database.ts'
import type { Sighting } from '../lib/sightings.ts'

/** Writes when and from where keys were last used; never backwards, and nothing for a key that is gone. */
export function writeLastUsed(database: Database, sightings: ReadonlyMap<string, Sighting>): Promise<void> {
  return database.transaction(async (db) => {
    for (const [id, { at, from }] of [...sightings].sort(byId)) {
      await db
        .updateTable('apiKey')
        .set({ lastUsedAt: at, lastUsedFrom: from })
        .where('id', '=', id)
        .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', at)]))
        .execute()
    }
  })
}

const byId = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
