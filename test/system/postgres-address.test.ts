import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { migrate } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.ts'
import { askOnce } from '../support/postgres/postgres-sql.ts'
import { runPortal } from '../support/process/portal-process.ts'
import { ROOT } from '../support/sources.ts'
import { runInProcess } from '../support/world/command-line.ts'
import { PORTAL_SECRET } from '../support/world/storage.ts'

const WRONG_PASSWORD = 'hunter2hunter2'
const TLS = join(ROOT, 'test', 'support', 'tls')
const [CERTIFICATE, ANOTHER] = [join(TLS, 'localhost.crt'), join(TLS, 'another.crt')]

let server: PostgresServer
let made = 0

beforeAll(async () => {
  server = await startPostgres({ tls: { certificate: CERTIFICATE, key: join(TLS, 'localhost.key') } })
})
afterAll(() => server.close())

const emptyDatabase = () => server.createDatabase(`portal_${++made}`)

/** What every command and every start is refused with: one sentence, and nothing else. */
async function refusalAt(url: string, env: Record<string, string> = { PORTAL_SECRET }, run = runInProcess) {
  const { code, stdout, stderr } = await run(['migrate'], { env: { DATABASE_URL: url, ...env } })
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z].*\.\n$/)
  expect(stderr).not.toMatch(/ {4}at |Error\b|\.ts\b|node:/)
  expect(stderr).not.toContain(WRONG_PASSWORD)
  expect(stderr).not.toContain(new URL(server.url()).password)
  return stderr.trimEnd()
}

/** Opens the database at this address and brings it up to date; whether the connections are encrypted. */
async function connectionsOf(url: string): Promise<'encrypted' | 'plain' | 'both' | 'none'> {
  const opened = await openDatabase(readConfig({ DATABASE_URL: url, PORTAL_SECRET }))
  await migrate(opened)
  await opened.ping()
  const database = new URL(url.replace(/@[^/]+/, '@localhost')).pathname.slice(1)
  const found = await askOnce(server.url())(
    (sql) => sql<{ ssl: boolean }[]>`select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where datname = ${database} and application_name = 'portal'`,
  )
  await opened.close()
  if (found.length !== 1) return found.length === 0 ? 'none' : 'both'
  return found[0]?.ssl ? 'encrypted' : 'plain'
}

const place = () => `127.0.0.1:${server.port}`

it('a process ends with the same sentence as a refused command', async () => {
  const url = `postgres://postgres:${WRONG_PASSWORD}@${place()}/postgres`
  const start: typeof runInProcess = (_args, options) => runPortal(['serve'], options)
  expect(await refusalAt(url, { PORTAL_SECRET }, start)).toBe(await refusalAt(url))
})

it('PORTAL_SECRET is required', async () => {
  const wants =
    'Cannot start: PORTAL_SECRET must have 32 characters or more, the same for all that use this DATABASE_URL.'
  expect(await refusalAt(server.url(), {})).toBe(wants)
  expect(await refusalAt(server.url(), { PORTAL_SECRET: 'too short' })).toBe(wants)
})

it('an invalid address is reported in one sentence for the operator', async () => {
  const { username, password } = new URL(server.url())
  const login = `${username}:${password}`
  expect(await refusalAt('mysql://u:hunter2hunter2@localhost/portal')).toBe(
    'Cannot start: DATABASE_URL must be like postgres://user:password@host:5432/database.',
  )
  expect(await refusalAt(`postgres://postgres:${WRONG_PASSWORD}@${place()}/postgres`)).toBe(
    `PostgreSQL at ${place()} does not accept the user postgres (password authentication failed for user "postgres"): check the user and the password in DATABASE_URL, and pg_hba.conf.`,
  )
  expect(await refusalAt(`postgres://nobody:${WRONG_PASSWORD}@${place()}/postgres`)).toContain(
    'does not accept the user nobody',
  )
  expect(await refusalAt(server.url('missing'))).toBe(
    `PostgreSQL at ${place()} has no database missing: create it (createdb missing), or change DATABASE_URL.`,
  )
  expect(await refusalAt(`postgres://${login}@127.0.0.1:1/postgres`)).toMatch(
    /^PostgreSQL at 127\.0\.0\.1:1 cannot be reached \(.*ECONNREFUSED.*\): check DATABASE_URL, and whether the server is running\.$/,
  )
  expect(await refusalAt(`postgres://${login}@nowhere.invalid/postgres`)).toMatch(
    /^PostgreSQL at nowhere\.invalid:5432 cannot be reached \(.*nowhere\.invalid\): check DATABASE_URL/,
  )
})

it('a user without permission to create tables is reported', async () => {
  const url = new URL(await emptyDatabase())
  await askOnce(server.url())((sql) => sql`create role guest login password 'a guest'`)
  url.username = 'guest'
  url.password = 'a guest'
  expect(await refusalAt(url.href)).toMatch(/^The user guest may not .*permission denied for schema public/)
})

it('a database that is newer than the program is refused', async () => {
  const url = await emptyDatabase()
  await connectionsOf(url)
  await askOnce(url)((sql) => sql`insert into "migration" values (1000, 'from the future', 0)`)
  expect(await refusalAt(url)).toMatch(/^The database is newer than this program \(version 1000, /)
})

it('a server that is too old is refused', async () => {
  const url = await emptyDatabase()
  await askOnce(url)(async (sql) => {
    // It calls itself old to whoever asks within this database.
    await sql`create function current_setting(name text) returns text language sql return case name
      when 'server_version_num' then '140011' else pg_catalog.current_setting(name) end`
    await sql.unsafe(`alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`)
  })
  expect(await refusalAt(url)).toBe('PostgreSQL is too old: version 15 or later is needed.')
})

it('TLS follows sslmode, and verify-full accepts only the right certificate for the right name', async () => {
  const byName = (await emptyDatabase()).replace('127.0.0.1', 'localhost')
  const byNumber = byName.replace('localhost', '127.0.0.1')
  expect(await connectionsOf(`${byNumber}?sslmode=disable`)).toBe('plain')
  expect(await connectionsOf(byNumber)).toBe('encrypted') // where the server can
  expect(await connectionsOf(`${byNumber}?sslmode=require`)).toBe('encrypted')
  expect(await connectionsOf(`${byNumber}?sslmode=verify-ca&sslrootcert=${CERTIFICATE}`)).toBe('encrypted')
  expect(await connectionsOf(`${byName}?sslmode=verify-full&sslrootcert=${CERTIFICATE}`)).toBe('encrypted')

  const refused = /^The certificate of PostgreSQL at \S+ is not accepted \(.+\): name its authority by sslrootcert/
  expect(await refusalAt(`${byName}?sslmode=verify-full`)).toMatch(refused)
  expect(await refusalAt(`${byName}?sslmode=verify-full&sslrootcert=${ANOTHER}`)).toMatch(refused)
  expect(await refusalAt(`${byName}?sslmode=verify-ca&sslrootcert=${ANOTHER}`)).toMatch(refused)
  expect(await refusalAt(`${byNumber}?sslmode=verify-full&sslrootcert=${CERTIFICATE}`)).toMatch(/certificate/)
  expect(await refusalAt(`${byName}?sslmode=verify-full&sslrootcert=/not/there.crt`)).toContain('/not/there.crt')
})

it('a server without TLS is refused if TLS is required', async () => {
  const plain = await startPostgres()
  onTestFinished(() => plain.close())
  expect(await refusalAt(`${plain.url()}?sslmode=require`)).toBe(
    `PostgreSQL at 127.0.0.1:${plain.port} does not speak TLS, and DATABASE_URL says sslmode=require: switch ssl on there, or sslmode=disable.`,
  )
})

it('of several hosts the primary is found, after one that is down and one that is a standby', async () => {
  const url = await emptyDatabase()
  const standby = await server.makeStandby()
  onTestFinished(() => standby.close())
  const through = (...places: string[]) => url.replace(place(), places.join(','))
  const [dead, second] = ['127.0.0.1:1', `127.0.0.1:${standby.port}`]

  expect(await connectionsOf(through(dead, second, place()))).toBe('encrypted')
  expect(await refusalAt(through(second))).toBe(
    `PostgreSQL at ${second} is a standby, which accepts no writes: name the primary in DATABASE_URL.`,
  )
  expect(await refusalAt(through(dead, second))).toContain(`PostgreSQL at ${dead}, ${second} `)
})
