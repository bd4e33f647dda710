import { HOUR } from '../../../server/lib/clock.ts'
import { newStorage } from '../world/storage.ts'
import { startWorld } from '../world/world.ts'

/** A way to a database, closed with the world that takes it. */
interface Way {
  /** The address of the database, by this way. */
  url: string
  close(): Promise<void>
}

/** A world that reaches its PostgreSQL database by a way of the test, on which nothing is said in the background. */
export async function startWorldBy<W extends Way>(
  openWay: (address: string) => Promise<W>,
  { timeouts }: Pick<NonNullable<Parameters<typeof startWorld>[0]>, 'timeouts'> = {},
) {
  const storage = await newStorage()
  const way = await openWay(storage.env['DATABASE_URL'] ?? '')
  const env = { DATABASE_URL: way.url }
  const world = await startWorld({ beside: { storage }, env, timeouts, compareEveryMs: HOUR })
  return {
    ...world,
    way,
    close: async () => {
      await world.close()
      await way.close()
      await storage.remove()
    },
  }
}
