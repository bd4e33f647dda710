import type { Sql } from 'postgres'

const SAMPLES = 40
const MOST_SAMPLES = 5000
const EXACT_ENOUGH_MS = 20

/** How to get from this process's monotonic clock to the database's, and how exact that is. */
export interface DatabaseClock {
  /** Milliseconds since 1970 by the database, at this moment of `performance.now()`. */
  at(moment: number): number
  /** The moment of `performance.now()` at which the database's clock shows this. */
  momentOf(time: number): number
  exactToMs: number
}

/** Asks many times and takes the answer that came back fastest; on a busy machine it asks more often. */
export async function readDatabaseClock(sql: Sql): Promise<DatabaseClock> {
  let ahead = 0
  let exactToMs = Number.POSITIVE_INFINITY
  for (let i = 0; i < SAMPLES || (exactToMs > EXACT_ENOUGH_MS && i < MOST_SAMPLES); i++) {
    const start = performance.now()
    const [row] = await sql`select extract(epoch from clock_timestamp())::float8 * 1000 as "now"`
    const end = performance.now()
    if ((end - start) / 2 >= exactToMs) continue
    exactToMs = (end - start) / 2
    ahead = row?.['now'] - (start + end) / 2
  }
  return { at: (moment) => moment + ahead, momentOf: (time) => time - ahead, exactToMs }
}
