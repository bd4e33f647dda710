import { startPostgres } from './postgres.ts'
import type { Progress } from './progress.ts'
import { type Absent, absentBy } from './question.ts'
import type { Fleet } from './seed.ts'
import { fillPostgres } from './seed-postgres.ts'
import { type FleetRows, type FleetSize, fleetRows } from './seed-rows.ts'

/** Runs work with a fleet on its own PostgreSQL; without one on this machine, with none. */
export const withPostgresFleet = <Result>(
  size: FleetSize,
  work: (fleet: Fleet | undefined, absent: Absent[]) => Promise<Result>,
  progress?: Progress,
): Promise<Result> => withPostgresRows(fleetRows(size), work, progress)

/** Runs work with these rows on its own PostgreSQL; without one on this machine, with none. */
export async function withPostgresRows<Result>(
  rows: FleetRows,
  work: (fleet: Fleet | undefined, absent: Absent[]) => Promise<Result>,
  progress?: Progress,
): Promise<Result> {
  const server = await startPostgres().catch((error: Error) => error)
  if (server instanceof Error) return work(undefined, [absentBy('PostgreSQL', server)])
  try {
    return await work(await fillPostgres(rows, server.url, progress), [])
  } finally {
    await server.stop()
  }
}
