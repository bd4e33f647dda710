import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'
import { runPortal, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { runInProcess } from '../support/world/command-line.ts'
import { codesOf, fieldOf } from '../support/world/people.ts'
import { PORTAL_SECRET } from '../support/world/storage.ts'

const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: 'a long enough passphrase', ORGANIZATION: 'Acme Edge' }
const WHO = '{ viewer { apiKey { id } } }'
/** Beside the database: only so that the next start is quicker. */
const COMPILED_CODE = 'compiled'

let server: PostgresServer
let made = 0

beforeAll(async () => {
  server = await startPostgres({ durable: true })
})
afterAll(() => server.close())

/** The variables of a portal on a database that is empty. */
async function emptyDatabase() {
  const url = await server.createDatabase(`portal_${++made}`)
  return { DATABASE_URL: url, PORTAL_SECRET, LEDGER: join(temporaryFolder(), 'revoked.db') }
}

const start = (env: Record<string, string>) => startPortal(temporaryFolder(), { env })

async function commandOf<Document>(run: typeof runInProcess, env: Record<string, string>, ...args: string[]) {
  const { code, stdout, stderr } = await run([...args, '--json'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Document // as the test names it
}

const generate = (env: Record<string, string>, run = runInProcess) =>
  commandOf<{ id: string; secret: string }>(run, env, 'key', 'generate', '--org', 'acme-edge', '--label', 'ci')

const statusOf = async (url: string) => (await fetch(url)).status

it('K1, K10: keys generated and revoked by the command line or one replica are accepted and refused by every replica with the next call', async () => {
  const env = await emptyDatabase()
  const first = await start({ ...env, ...ADMIN })
  const second = await start(env)
  expect(first.stdout()).toContain('Created the organization acme-edge with the Admin ada@example.com.')
  expect(second.stdout()).toContain(' portal key generate --org acme-edge')

  const { id, secret: shown } = await generate(env, runPortal)
  for (const replica of [first, second]) expect(fieldOf(await replica.asKey(shown)(WHO))).toEqual({ apiKey: { id } })

  await commandOf(runPortal, env, 'key', 'revoke', id, '--yes')
  for (const replica of [second, first]) {
    const refused = await replica.asKey(shown)(WHO)
    expect({ status: refused.status, codes: codesOf(refused) }).toEqual({ status: 401, codes: ['API_KEY_INVALID'] })
  }
  const { secret: admin } = await generate(env)

  for (let i = 0; i < 20; i++) {
    const [one, other] = i % 2 === 0 ? ([first, second] as const) : ([second, first] as const)
    const answer = await one.asKey(admin)('mutation { generateApiKey { secret apiKey { id } } }')
    const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string } }>(answer)
    expect(fieldOf(await other.asKey(secret)(WHO))).toEqual({ apiKey })
    fieldOf(await one.asKey(admin)('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', apiKey))
    expect((await other.asKey(secret)(WHO)).status).toBe(401)
  }
  const stored = [first, second].flatMap(({ dataDir }) => readdirSync(dataDir))
  expect(stored.filter((name) => name !== COMPILED_CODE)).toEqual([]) // all of it is in the database
})

it('three processes that start at once on an empty database migrate it once, and create the first Admin once', async () => {
  const env = await emptyDatabase()
  const started = await Promise.all(Array.from({ length: 3 }, () => start({ ...env, ...ADMIN })))

  const makers = started.filter(({ stdout }) => stdout().includes('Created the organization acme-edge'))
  expect(makers).toHaveLength(1)
  await askOnce(env.DATABASE_URL)(async (sql) => {
    const migrations = await sql`select "version", "name" from "migration" order by "version"`
    expect(migrations.map(({ version }) => Number(version))).toEqual(migrations.map((_, i) => i + 1))
    expect(migrations.length).toBeGreaterThan(0)
    expect([...(await sql`select "slug" from "organization" where "kind" = 'ORGANIZATION'`)]).toEqual([
      { slug: 'acme-edge' },
    ])
    expect([...(await sql`select "email" from "user"`)]).toEqual([{ email: 'ada@example.com' }])
  })
  const { id, secret } = await generate(env)
  for (const portal of started)
    await expect.poll(async () => (await portal.asKey(secret)(WHO)).data).toEqual({ viewer: { apiKey: { id } } })
})

it('is not ready while the database is down, answers 503 and never yes, and recovers by itself', async () => {
  const env = await emptyDatabase()
  const portal = await start({ ...env, ...ADMIN })
  const { id, secret } = await generate(env)
  const live = `${portal.url}/health/live`
  const ready = `${portal.url}/health/ready`
  const ask = portal.asKey(secret)
  const create = (name: string) =>
    ask('mutation ($name: String!) { createDevice(input: { name: $name }) { name } }', { name })

  for (const away of [() => server.stop('fast'), () => server.kill()]) {
    expect([await statusOf(live), await statusOf(ready)]).toEqual([200, 200])
    expect(fieldOf(await ask(WHO))).toEqual({ apiKey: { id } })

    await away()
    expect([await statusOf(live), await statusOf(ready)]).toEqual([200, 503])
    const refused = [await ask(WHO), await create('lost')]
    expect(refused.map(({ status }) => status)).toEqual([503, 503])
    expect(refused.flatMap(codesOf)).toEqual(['UNAVAILABLE', 'UNAVAILABLE'])
    expect(refused.map(({ headers }) => Number(headers.get('retry-after')) > 0)).toEqual([true, true])

    await server.start()
    await expect.poll(async () => (await ask('{ __typename }')).status, { timeout: 30_000 }).toBe(200)
    expect(await statusOf(ready)).toBe(200) // from the first answer on, all of it
    expect(fieldOf(await ask(WHO))).toEqual({ apiKey: { id } })
    expect(fieldOf(await create(`kept ${++made}`))).toBeTruthy()
  }
  expect(portal.stderr()).not.toContain('"level":"fatal"')
})
