import { Agent } from 'node:http'
import { join } from 'node:path'
import { newId } from '../server/lib/id.ts'
import { mintSecret } from '../server/secrets/secret.ts'
import { call } from './support/call.ts'
import type { Bench, Finding, Question } from './support/question.ts'
import { type Fleet, fillSqlite } from './support/seed.ts'
import { type FleetRows, keyOf, organization, START } from './support/seed-rows.ts'
import { type Summary, summarize } from './support/statistics.ts'
import { type System, startPortal } from './support/system.ts'
import { withPostgresRows } from './support/with-postgres.ts'

const ORGANIZATIONS = 32
const REVOKES_A_ROUND = 10 // in each organization
const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'

/** An organization's key that revokes its others, one after the other. */
interface Revoker {
  secret: string
  ids: string[]
}

/** Revokes raise one counter, so they are committed one after the other: how many a second that allows. */
export const revokes: Question = {
  id: 'revokes',
  asks: `keys of ${ORGANIZATIONS} organizations revoked at once, one by one in each`,
  async answer(bench) {
    const onSqlite = revokersOf(bench)
    const sqlite = await fillSqlite(onSqlite, bench.progress)
    const findings = [await revokeAll('SQLite', bench, sqlite, onSqlite.revokers, 1)]
    const onPostgres = [1, 2].map((processes) => ({ processes, ...revokersOf(bench) }))
    const absent = []
    for (const { processes, revokers, ...rows } of onPostgres) {
      const name = processes === 1 ? 'PostgreSQL' : `PostgreSQL, ${processes} replicas with one ledger`
      absent.push(
        ...(await withPostgresRows(rows, async (fleet, absent) => {
          if (fleet) findings.push(await revokeAll(name, bench, fleet, revokers, processes))
          return absent
        })),
      )
    }
    return { findings, systems: [], absent: absent.slice(0, 1) }
  },
}

/** For each round, and one to warm up, some keys of every organization. */
function revokersOf({ effort }: Bench): FleetRows & { revokers: Revoker[] } {
  const keys = REVOKES_A_ROUND * (1 + effort.rounds)
  const organizations = Array.from({ length: ORGANIZATIONS }, (_, i) => organization(i))
  const revokers = organizations.map(() => ({
    secret: mintSecret('emp_'),
    ids: Array.from({ length: keys }, (_, i) => newId(START + i)),
  }))
  const rows = organizations.flatMap(({ id }, place) => {
    const { secret, ids } = revokers[place] ?? { secret: '', ids: [] }
    return [keyOf(id, 0, secret), ...ids.map((own, i) => ({ ...keyOf(id, 1 + i, mintSecret('emp_')), id: own }))]
  })
  return {
    revokers,
    secrets: revokers.map(({ secret }) => secret),
    tables: [
      { table: 'organization', rows: organizations },
      { table: 'apiKey', rows },
    ],
  }
}

async function revokeAll(
  name: string,
  { effort, progress }: Bench,
  fleet: Fleet,
  revokers: Revoker[],
  processes: number,
): Promise<Finding> {
  const settings = { ...fleet.settings, LEDGER: join(fleet.folder, 'revoked.db') }
  const systems: System[] = []
  for (let i = 0; i < processes; i++) systems.push(await startPortal(name, { ...fleet, settings }))
  const agents = systems.map(() => new Agent({ keepAlive: true }))
  const rates: number[] = []
  for (let round = 0; round <= effort.rounds; round++) {
    progress.say(`revokes · round ${round} · ${name}`)
    const start = performance.now()
    await Promise.all(
      revokers.map(async ({ secret, ids }, i) => {
        const system = systems[i % processes]
        for (const id of ids.splice(0, REVOKES_A_ROUND))
          await revoke(system?.port ?? 0, secret, id, agents[i % processes])
      }),
    )
    if (round > 0) rates.push((REVOKES_A_ROUND * revokers.length) / ((performance.now() - start) / 1000)) // the first warms up
  }
  for (const agent of agents) agent.destroy()
  for (const system of systems) await system.stop()
  return findingOf(name, summarize(rates))
}

const findingOf = (name: string, value: Summary): Finding => {
  return { what: `${name}, revokes of different organizations`, value, unit: 'a second', budget: { atLeast: 200 } }
}

async function revoke(port: number, secret: string, id: string, agent?: Agent): Promise<void> {
  const { body } = await call(port, secret, REVOKE, agent, { id })
  if (!body.includes(`"ids":["${id}"]`)) throw new Error(`A key was not revoked: ${body}`)
}
