import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { LookupCounts } from '../database.ts'
import type { AnswerPoint, Lookup, LookupColumns, LookupValues } from '../lookup.ts'
import type { Db } from '../tables.ts'

/** One for the first two bytes of a hash. Hashes that share one only cost the search that the place would have saved. */
const PLACES = 2 ** 16

/**
 * Asks lookups. Where a lookup allows it, remembers the place of a row (`rowid`), so that the next one finds it without
 * searching the index: among a million keys that search is most of what a lookup takes longer. The row itself is read
 * each time, and only if it still has the hash; if it has not, the index is searched.
 */
export function askAtPlaces(db: Db, counts: LookupCounts) {
  const places = new Float64Array(PLACES) // 0: unknown
  return <Columns extends LookupColumns, Row>(
    lookup: Lookup<Columns, Row>,
    values: LookupValues<Columns>,
  ): MaybePromise<(Row & AnswerPoint)[]> => {
    counts.queries++
    const { atPlace } = lookup
    if (!atPlace) return lookup.ask(db, values)
    const hash = values[atPlace.by] as Uint8Array
    const slot = ((hash[0] ?? 0) << 8) | (hash[1] ?? 0)
    const search = () =>
      andThen(lookup.ask(db, values), (answers) => {
        places[slot] = answers[0]?.['@place'] ?? 0
        return answers
      })
    const place = places[slot] ?? 0
    if (place === 0) return search()
    return andThen(atPlace.ask(db, { ...values, place }), (answers) => {
      if (answers[0]?.['@known'] === 1) return answers
      counts.queries++
      return search()
    })
  }
}
