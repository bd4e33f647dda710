import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { call, DEVICES } from './support/call.ts'
import type { Answer, Bench, Finding, Question } from './support/question.ts'
import { type Fleet, fillSqlite } from './support/seed.ts'
import { fleetRows } from './support/seed-rows.ts'
import { withUsage } from './support/seed-usage.ts'
import { quantile } from './support/statistics.ts'
import { startPortal } from './support/system.ts'
import { withPostgresRows } from './support/with-postgres.ts'

const KEYS = 100
const WARM_UP = 20
const CALLS = 300
/** As several people look at it who come and go: some calls start a count, others meet one. */
const PAUSE_MS = 50
const BUDGET_MS = 20

const OVERVIEW = `{ overview {
  devices { total online offline neverSeen countedAt }
  apiKeys { active paused expiring expired unused lastUsedAt usage {
    days { at calls errors } busiest { apiKey { id label } calls errors }
  } }
  auditEvents { id at action subject actor { kind id name } }
} }`

/** How long a person waits for the overview of a large organization. */
export const overview: Question = {
  id: 'overview',
  asks: `the overview of an organization with many devices and ${KEYS} busy keys`,
  isLong: true,
  async answer(bench) {
    const { effort, progress } = bench
    const devices = effort.manyDevices
    const rows = () => withUsage(fleetRows({ keys: KEYS, devices }), devices)
    const onSqlite = await findingsOn(bench, 'SQLite', await fillSqlite(rows(), progress))
    return withPostgresRows(
      rows(),
      async (fleet, absent): Promise<Answer> => ({
        findings: [...onSqlite, ...(fleet ? await findingsOn(bench, 'PostgreSQL', fleet) : [])],
        systems: [],
        absent,
      }),
      progress,
    )
  },
}

/** In turn with a page of devices: on a busy machine both wait for it. */
async function findingsOn({ effort, progress }: Bench, on: string, fleet: Fleet): Promise<Finding[]> {
  const system = await startPortal('portal', fleet)
  const agent = new Agent({ keepAlive: true })
  const timed = async (query: string) => {
    const begin = performance.now()
    const { body } = await call(system.port, fleet.secret, query, agent)
    if (!body.startsWith('{"data":')) throw new Error(body)
    return performance.now() - begin
  }
  const [overviews, pages]: [number[], number[]] = [[], []]
  progress.say(`overview · ${on}`)
  for (let i = 0; i < WARM_UP + CALLS; i++) {
    const times = [await timed(OVERVIEW), await timed(DEVICES)] as const
    if (i >= WARM_UP) {
      overviews.push(times[0])
      pages.push(times[1])
    }
    await pause(PAUSE_MS)
  }
  agent.destroy()
  await system.stop()
  const what = `${on}, overview of ${effort.manyDevices.toLocaleString('en')} devices and ${KEYS} keys`
  return [
    { what: `${what}, p50`, value: quantileOf(overviews, 0.5), unit: 'ms', budget: { atMost: BUDGET_MS } },
    { what: `${what}, p99`, value: quantileOf(overviews, 0.99), unit: 'ms' },
    { what: `${on}, a page of devices in turn with it, p99`, value: quantileOf(pages, 0.99), unit: 'ms' },
  ]
}

function quantileOf(times: readonly number[], share: number): Finding['value'] {
  const value = quantile(
    times.toSorted((a, b) => a - b),
    share,
  )
  return { median: value, low: value, high: value }
}
