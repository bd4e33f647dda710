import { startPostgres } from './postgres.ts'
import type { Progress } from './progress.ts'
import { type Absent, absentBy } from './question.ts'
import type { Fleet } from './seed.ts'
import { seedPostgresFleet } from './seed-postgres.ts'
import type { FleetSize } from './seed-rows.ts'

/** Does some work with a fleet on a PostgreSQL of its own; without one on this machine, with none. */
export async function withPostgresFleet<Result>(
  size: FleetSize,
  work: (fleet: Fleet | undefined, absent: Absent[]) => Promise<Result>,
  progress?: Progress,
): Promise<Result> {
  const server = await startPostgres().catch((error: Error) => error)
  if (server instanceof Error) return work(undefined, [absentBy('PostgreSQL', server)])
  try {
    return await work(await seedPostgresFleet(size, server.url, progress), [])
  } finally {
    await server.stop()
  }
}
