import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { LookupCounts } from '../database.ts'
import type { AnswerPoint, Lookup, LookupColumns, LookupValues } from '../lookup.ts'
import type { Db } from '../tables.ts'

/** One for each value of the first two bytes of a hash: the row that was found last has it. */
const PLACES = 2 ** 16

/**
 * Asks lookups. Where a lookup allows it, remembers where a row is stored (`rowid`), so that the next one finds it without
 * searching the index: among a million keys, that search is half of what a lookup costs more than among a thousand. The
 * row itself is read each time, and only if it still has the hash; if it has not, the index is searched.
 */
export function askAtPlaces(db: Db, counts: LookupCounts) {
  const rowids = new Float64Array(PLACES)
  const tags = new Uint32Array(PLACES) // more of the hash: a row that another one has displaced is not asked for
  return <Columns extends LookupColumns, Row>(
    lookup: Lookup<Columns, Row>,
    values: LookupValues<Columns>,
  ): MaybePromise<(Row & AnswerPoint)[]> => {
    counts.queries++
    const { atPlace } = lookup
    if (!atPlace) return lookup.ask(db, values)
    const hash = values[atPlace.by] as Uint8Array // by its type
    const place = word(hash, 0) >>> 16
    const tag = word(hash, 2)
    const search = () =>
      andThen(lookup.ask(db, values), (answers) => {
        const rowid = answers[0]?.['@rowid']
        if (typeof rowid === 'number') {
          rowids[place] = rowid
          tags[place] = tag
        }
        return answers
      })
    if (tags[place] !== tag) return search()
    return andThen(atPlace.ask(db, { ...values, '@rowid': rowids[place] ?? 0 }), (answers) => {
      if (answers[0]?.['@known'] === 1) return answers
      tags[place] = 0
      counts.queries++
      return search()
    })
  }
}

/** Four bytes from there on. */
const word = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
