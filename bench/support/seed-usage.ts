import type { ApiKeyUsageDayTable, ApiKeyUsageTable } from '../../server/db/api-key-tables.ts'
import type { ApiKeyTable } from '../../server/db/tables.ts'
import { DAY, HOUR } from '../../server/lib/clock.ts'
import type { FleetRows } from './seed-rows.ts'

const HOURS = 48
const DAYS = 90
const WRITERS = 2
const SEEN = seen()

/** Adds the number of devices, and usage of all keys: every hour of two days by two processes, and every day of 90. */
export function withUsage({ tables, secrets }: FleetRows, devices: number): FleetRows {
  const organizations = tables.flatMap((each) => (each.table === 'organization' ? [...each.rows] : []))
  const keys = tables.flatMap((each) => (each.table === 'apiKey' ? [...each.rows] : []))
  const organizationId = organizations[0]?.id ?? ''
  return {
    secrets,
    tables: [
      ...tables.filter(({ table }) => table !== 'apiKey'),
      { table: 'apiKey', rows: keys },
      { table: 'deviceCount', rows: [{ organizationId, devices }] },
      { table: 'apiKeyUsage', rows: hoursOf(keys) },
      { table: 'apiKeyUsageDay', rows: daysOf(keys) },
    ],
  }
}

function* hoursOf(keys: ApiKeyTable[]): Generator<ApiKeyUsageTable> {
  const now = Date.now() - (Date.now() % HOUR)
  for (const { id: keyId } of keys) {
    for (let hour = now - (HOURS - 1) * HOUR; hour <= now; hour += HOUR) {
      for (let writer = 0; writer < WRITERS; writer++) {
        yield { keyId, hour, writer: `writer ${writer}`, calls: 100, errors: 1, seen: SEEN }
      }
    }
  }
}

function* daysOf(keys: ApiKeyTable[]): Generator<ApiKeyUsageDayTable> {
  const today = Date.now() - (Date.now() % DAY)
  for (const { id: keyId } of keys) {
    for (let day = today - DAYS * DAY; day < today - 2 * DAY; day += DAY) {
      yield { keyId, day, calls: 4800, errors: 48, fields: null }
    }
  }
}

/** As much as one process stores of an hour. */
function seen(): string {
  const of = (value: (i: number) => string) => Array.from({ length: 20 }, (_, i) => [value(i), 5])
  return JSON.stringify({
    addresses: of((i) => `10.20.0.${i}`),
    agents: of((i) => `edge-agent/4.2.${i} (linux; arm64)`),
    operations: of((i) => `Operation${i}`),
  })
}
