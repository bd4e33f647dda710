import { fileURLToPath } from 'node:url'
import { readPostgresAddress } from '../server/lib/postgres-address.ts'
import { call, freePort, PAGE_SIZE } from './support/call.ts'
import { startChild } from './support/children.ts'
import { expectDevices } from './support/expected.ts'
import { hearQueries } from './support/heard.ts'
import type { PostgresFloorOptions, PostgresQuery } from './support/postgres-floor.ts'
import type { Finding, Question } from './support/question.ts'
import { alternateAnew, type Measure, ratioOf, rowOf } from './support/rounds.ts'
import type { Fleet } from './support/seed.ts'
import { byKeysInTurn, byOneKey } from './support/stage.ts'
import { summarize } from './support/statistics.ts'
import { ready, SENT, type System, startPortal } from './support/system.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const FLOOR = fileURLToPath(import.meta.resolve('./support/postgres-floor.ts'))

type Learned = Omit<PostgresFloorOptions, 'port'>

/** The cost of an authenticated GraphQL call over the HTTP server, the driver and PostgreSQL. */
export const onPostgres: Question = {
  id: 'P11',
  asks: 'the call of P1 on PostgreSQL, against a bare node:http server with the same two queries, driver and number of connections',
  answer: (bench) =>
    withPostgresFleet({ keys: 1000 }, async (fleet, absent) => {
      if (!fleet) return { findings: [], systems: [], absent }
      const learned = await learn(fleet)
      const start = async () => {
        const portal = await startPortal('portal', fleet)
        const floor = await startFloor(fleet, learned)
        const expected = await expectDevices(portal, fleet)
        return [
          byKeysInTurn(portal, fleet, expected),
          byKeysInTurn(floor, fleet, expected),
          byOneKey(portal, fleet, expected),
        ] as const
      }
      const [ofPortal, ofFloor, ofOneKey] = await alternateAnew(bench, 'P11', start)
      return {
        findings: [
          ...findingsOf(ofPortal, ofFloor),
          {
            what: 'requests a second on PostgreSQL, portal against floor, one key',
            value: ratioOf(ofOneKey, ofFloor, 'requestsPerSecond'),
            unit: '×',
          },
          cpuOf('one key', ofOneKey),
        ],
        systems: [
          rowOf('portal on PostgreSQL', ofPortal),
          rowOf('portal on PostgreSQL, one key', ofOneKey),
          rowOf('floor on PostgreSQL', ofFloor),
        ],
      }
    }),
}

const findingsOf = (ofPortal: Measure[], ofFloor: Measure[]): Finding[] => [
  {
    what: 'requests a second on PostgreSQL, portal against floor',
    value: ratioOf(ofPortal, ofFloor, 'requestsPerSecond'),
    unit: '×',
    budget: { atLeast: 0.7 },
  },
  { what: 'CPU a request, floor against portal', value: ratioOf(ofFloor, ofPortal, 'cpuMicros'), unit: '×' },
  cpuOf('keys in turn', ofPortal),
]

const cpuOf = (calls: string, rounds: Measure[]): Finding => ({
  what: `CPU a request of the portal, ${calls}`,
  value: summarize(rounds.map(({ cpuMicros }) => cpuMicros)),
  unit: 'µs',
})

/** What the floor needs to answer a call as the portal does: its queries, heard on the wire, and its bytes. */
async function learn(fleet: Fleet): Promise<Learned> {
  const url = fleet.settings['DATABASE_URL'] ?? ''
  const way = await hearQueries(url)
  const portal = await startPortal('portal', { ...fleet, settings: { ...fleet.settings, DATABASE_URL: way.url } })
  way.queries.length = 0
  const { headers } = await call(portal.port, fleet.secret)
  await portal.stop()
  way.close()
  const address = readPostgresAddress(url)
  return {
    url,
    connections: typeof address === 'string' ? 1 : address.connectionLimit,
    key: queryIn(way.queries, /"apiKey"/),
    page: queryIn(way.queries, /\bfrom "device"/),
    pageSize: PAGE_SIZE,
    headers: Object.fromEntries(SENT.map((name) => [name, String(headers[name])])),
  }
}

function queryIn(queries: PostgresQuery[], what: RegExp): PostgresQuery {
  const found = queries.find(({ text }) => text.startsWith('select') && what.test(text))
  if (!found) throw new Error(`The portal sends no such query, only: ${queries.map(({ text }) => text).join('; ')}`)
  return found
}

async function startFloor(fleet: Fleet, learned: Learned): Promise<System> {
  const port = await freePort()
  const options: PostgresFloorOptions = { port, ...learned }
  const child = startChild(fleet.folder, {
    name: 'floor',
    args: [FLOOR, JSON.stringify(options)],
    answers: 'by probe',
  })
  return ready('floor', port, fleet, child)
}
