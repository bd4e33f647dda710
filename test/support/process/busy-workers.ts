import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { onTestFinished } from 'vitest'
import { createBusyClient, startBusyClients } from './busy-clients.ts'
import { marksOf, type startWorkers } from './workers.ts'

type Workers = Awaited<ReturnType<typeof startWorkers>>

/** Calls without a pause, to all of two processes. */
export async function busy(portal: Workers, clients = 8) {
  const toEach = [...(await marksOf(portal, 2)).values()]
  const others = Array.from({ length: clients - toEach.length }, () => createBusyClient(portal))
  const load = startBusyClients([...toEach, ...others])
  onTestFinished(() => load.stop())
  await portal.until(() => load.answered.size === 2)
  return load
}

/** The calls of a key that are counted in the database. */
export function countedCalls({ dataDir, keyId }: Workers): number {
  const database = new DatabaseSync(join(dataDir, 'portal.db'), { readOnly: true, timeout: 5000 })
  const row = database
    .prepare(`
      select sum("calls") as "calls" from
      (select "keyId", "calls" from "apiKeyUsage" union all select "keyId", "calls" from "apiKeyUsageDay")
      where "keyId" = ?`)
    .get(keyId)
  database.close()
  return Number(row?.['calls'] ?? 0)
}
