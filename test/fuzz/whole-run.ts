import { quantile } from './bystander.ts'
import type { Problem } from './judge.ts'

/** A process that has seen every kind of document once keeps no more than this on top. */
const MOST_MEGABYTES = 150
const MOST_SHARE = 1.5
/** What one accepted mutation may leave behind, in all tables: a document has at most so many of them. */
const ROWS_A_MUTATION = 60
const ROWS_BESIDE = 5000
/** What 99 of 100 writes of somebody else take at most, whatever is sent beside them: `npm run bench -- writes` has the budget, 150 ms. */
const WRITES_P99_MS = 250
const WRITES_TIMES_IDLE = 5
const BUSY_MS = 50

export interface MemorySample {
  megabytes: number
  /** Which start of the process it is of. */
  start: number
}

/** Memory that grew from the second third of the run to the last, in one and the same process. */
export function memoryGrowth(samples: readonly MemorySample[]): Problem[] {
  const last = samples.at(-1)
  const own = samples.filter(({ start }) => start === last?.start).map(({ megabytes }) => megabytes)
  if (own.length < 12) return []
  const third = Math.floor(own.length / 3)
  const [before, after] = [median(own.slice(third, 2 * third)), median(own.slice(-third))]
  if (after < before * MOST_SHARE || after < before + MOST_MEGABYTES) return []
  return [{ kind: 'growth', words: `memory grew from ${Math.round(before)} to ${Math.round(after)} MB` }]
}

/** More rows than what was sent can explain. */
export function rowGrowth(before: Record<string, number>, after: Record<string, number>, mutations: number): Problem[] {
  const most = ROWS_BESIDE + ROWS_A_MUTATION * mutations
  return Object.entries(after).flatMap(([table, rows]) => {
    const more = rows - (before[table] ?? 0)
    return more > most
      ? [{ kind: 'growth' as const, words: `${table} has ${more} rows more after ${mutations} mutations` }]
      : []
  })
}

/**
 * The bystander's writes of the whole run, beside those for which nobody else did anything. A busy machine, which took so much
 * of the bystander's p99, delays the database as well: there they are told, and not judged.
 */
export function slowWrites(writes: readonly number[], idleWrites: readonly number[], takenMs: number): Problem[] {
  if (takenMs > BUSY_MS) return []
  const [p99, idle] = [quantile(writes, 0.99), quantile(idleWrites, 0.99)]
  if (p99 <= Math.max(WRITES_P99_MS, WRITES_TIMES_IDLE * idle)) return []
  const words = `writes of the bystander: p99 ${p99.toFixed(0)} ms, and ${idle.toFixed(0)} ms with nobody else`
  return [{ kind: 'bystander held up', words }]
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
