import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'

const EVERY_MS = 5

export interface ProbeResult {
  statements: number
  slowestMs: number
  slowest: string
  failed: string[]
}

/** What replicas do all the time, in words that are right in every version: they look keys up, and write. */
const PROBES: Record<string, (sql: postgres.Sql, i: number) => Promise<unknown>> = {
  'look a key up': (sql, i) => sql`select "id" from "apiKey" where "secretHash" = ${Buffer.from(`hash ${i % 1000}`)}`,
  'write the last use of a key': (sql, i) =>
    sql`update "apiKey" set "lastUsedAt" = ${i} where "id" = ${`key ${i % 1000}`}`,
  'read a device': (sql, i) => sql`select "name" from "device" where "id" = ${`device ${i % 1000}`}`,
  'write an audit event': (sql, i) =>
    sql`insert into "auditEvent" ("id", "organizationId", "at", "action", "actorKind", "actorName")
      values (${`probe ${i}`}, 'organization 1', 1, 'device.created', 'SYSTEM', 'probe')`,
}

export function startProbes(url: string): { stop(): Promise<ProbeResult> } {
  const sql = postgres(url, {
    max: Object.keys(PROBES).length,
    onnotice: () => {},
    prepare: false,
    connection: { application_name: 'load' },
  })
  const result: ProbeResult = { statements: 0, slowestMs: 0, slowest: '', failed: [] }
  let isOver = false
  const probes = Object.entries(PROBES).map(async ([name, ask]) => {
    for (let i = 0; !isOver; i++) {
      const began = performance.now()
      await ask(sql, i).catch((error: Error) => result.failed.push(`${name}: ${error.message}`))
      const ms = performance.now() - began
      result.statements++
      if (ms > result.slowestMs) [result.slowestMs, result.slowest] = [ms, name]
      await pause(EVERY_MS)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(probes)
      await sql.end()
      return result
    },
  }
}
