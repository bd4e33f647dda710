import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { graphqlRequest } from '../../fault/http-connection.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.ts'
import { askOnce } from '../../support/postgres/postgres-sql.ts'
import { temporaryFolder } from '../../support/process/portal-process.ts'
import { connectionsToEach, marksOf, pidOf, startWorkers } from '../../support/process/workers.ts'
import { fieldOf } from '../../support/world/people.ts'
import { PORTAL_SECRET } from '../../support/world/storage.ts'

const CLEAN = { code: 0, signal: null }
const WITHIN = { timeout: 60_000 }

let server: PostgresServer
let made = 0

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.close())

async function startOnPostgres(parameters = '') {
  const url = await server.createDatabase(`portal_${++made}`)
  const env = { DATABASE_URL: `${url}?${parameters}`, PORTAL_SECRET, LEDGER: join(temporaryFolder(), 'revoked.db') }
  return { url, portal: await startWorkers(2, env) }
}

it('PostgreSQL: a key that one worker revokes is refused by both, and the other worker answers when one is killed', async () => {
  const { portal } = await startOnPostgres()
  const generated = await portal.asKey(portal.secret)('mutation { generateApiKey { secret apiKey { id } } }')
  const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string } }>(generated)
  const clients = [...(await marksOf({ ...portal, secret }, 2)).values()]
  await portal.asKey(portal.secret)('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', apiKey)
  for (const client of clients) await expect(client.call()).rejects.toThrow(/^401: .*API_KEY_INVALID/)

  process.kill(pidOf(portal), 'SIGKILL')
  await portal.until(() => portal.serving().some(({ id }) => id === 3))
  await marksOf(portal, 2)
  portal.send('SIGHUP')
  await portal.until(() => portal.lines().some(({ msg }) => msg === 'all workers are replaced'))
  await marksOf(portal, 2)
  expect(await portal.stop()).toEqual(CLEAN)
})

it('PostgreSQL: workers share connection_limit', async () => {
  const { url, portal } = await startOnPostgres('connection_limit=6')
  const connections = await connectionsToEach(portal, { workers: 2, each: 8 })
  const { promise: enough, resolve: release } = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = askOnce(url)((sql) =>
    sql.begin(async (held) => {
      await held`lock table "device" in exclusive mode`
      locked.resolve()
      await enough
    }),
  )
  await locked.promise
  const create = (name: string) => `mutation { createDevice(input: { name: "${name}" }) { id } }`
  const answers = connections.map((each, i) => each.send(graphqlRequest(portal.secret, create(`locked-${i}`))))
  const waiting = () =>
    askOnce(url)(async (sql) => {
      const [row] = await sql`select count(*) as "waiting", (select count(*) from pg_stat_activity
        where datname = current_database() and application_name = 'portal') as "all" from pg_stat_activity
        where datname = current_database() and application_name = 'portal' and wait_event_type = 'Lock'`
      return { waiting: Number(row?.['waiting']), all: Number(row?.['all']) }
    })
  const ofOne = 2 * (3 - 1) // the last connection of each is not for an organization that has others
  await expect.poll(async () => (await waiting()).waiting, WITHIN).toBeGreaterThanOrEqual(ofOne)
  const samples = []
  for (let i = 0; i < 20; i++) samples.push(await waiting())
  expect(Math.max(...samples.map((sample) => sample.waiting))).toBeLessThanOrEqual(6)
  expect(Math.max(...samples.map((sample) => sample.all))).toBeLessThanOrEqual(2 * (3 + 1))
  release()
  await Promise.all([holding, ...answers])
  expect(await portal.stop()).toEqual(CLEAN)
})
