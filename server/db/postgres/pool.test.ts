import { expect, it } from 'vitest'
import type { PostgresConnection } from './connection.ts'
import { PostgresPool } from './pool.ts'

it('whoever waits for a connection gets none to a server that was replaced meanwhile', async () => {
  let server = 'old'
  const closed: string[] = []
  const open = async () => {
    const own = server
    const close = () => closed.push(own)
    return { server: own, isOpen: true, openedAt: performance.now(), close } as unknown as PostgresConnection // what the pool reads
  }
  const isCurrent = (connection: PostgresConnection) => connection.server === server
  const pool = new PostgresPool(open, { limit: 1, patienceMs: 60_000, isCurrent })
  const letGo = Promise.withResolvers<void>()
  const first = pool.use(() => letGo.promise)
  const next = pool.use(async (connection) => connection.server)
  server = 'new'
  letGo.resolve()
  await first
  expect(await next).toBe('new')
  expect(closed).toEqual(['old'])
  pool.close()
})
