import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { DAY } from '../../../server/lib/clock.ts'
import { startPostgres } from '../../support/postgres/postgres-server.ts'
import { askOnce } from '../../support/postgres/postgres-sql.ts'
import { startPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { type SmtpServer, startSmtpServer } from '../../support/process/smtp-server.ts'
import { runInProcess } from '../../support/world/command-line.ts'
import { post } from '../../support/world/http.ts'
import { tokenIn } from '../../support/world/mail-world.ts'
import { PORTAL_SECRET } from '../../support/world/storage.ts'

const PASSWORD = 'a long enough passphrase'
const ADMIN = { ADMIN_EMAIL: 'ada@example.com', ADMIN_PASSWORD: PASSWORD, ORGANIZATION: 'Acme Edge' }
const QUICK_CHORES = fileURLToPath(import.meta.resolve('../../support/process/quick-portal.ts'))

let smtp: SmtpServer
let mail: Record<string, string>
beforeAll(async () => {
  smtp = await startSmtpServer()
  mail = { SMTP_URL: smtp.url, BASE_URL: 'http://portal.example.com' }
})
afterAll(() => smtp.close())

async function command<Document>(env: Record<string, string>, ...args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await runInProcess([...args, '--json'], { env })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function emailTo(address: string) {
  const to = () => smtp.received.filter((email) => email.to.includes(address))
  await expect.poll(() => to().length, { timeout: 30_000 }).toBe(1)
  return to()[0]
}

it('emails queued by the command line are sent by the running server, with a generated secret', async () => {
  const folder = temporaryFolder()
  const env = { ...mail, DATA_DIR: folder }
  const portal = await startPortal(folder, { env: { ...mail, ...ADMIN } })
  const invited = await command<{ link: string }>(env, 'user', 'invite', 'lin@example.com', '--org', 'acme-edge')
  const reset = await command<{ link: string }>(env, 'user', 'reset', 'ada@example.com')

  const [invitation, renewal] = [await emailTo('lin@example.com'), await emailTo('ada@example.com')]
  expect(invitation?.text).toContain(`\n${invited.link}\n`)
  expect(renewal?.text).toContain(`\n${reset.link}\n`)
  const url = /"address":"([^"]+)"/.exec(portal.stderr())?.[1] // greeted is with BASE_URL, which is nowhere
  const accepted = { token: tokenIn(invitation?.text), name: 'Lin', password: PASSWORD }
  expect((await post(`${url}/auth/accept-invitation`, accepted)).status).toBe(200)
  const renewed = { token: tokenIn(renewal?.text), password: 'quite another passphrase' }
  expect((await post(`${url}/auth/reset-password`, renewed)).status).toBe(200)

  const file = join(folder, 'portal.secret')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(`${portal.stdout()}${portal.stderr()}`).not.toContain(readFileSync(file, 'utf8').trim())
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
})

it('SIGTERM: an email in progress is sent and recorded before the end', async () => {
  const folder = temporaryFolder()
  const portal = await startPortal(folder, { env: { ...mail, ...ADMIN } })
  smtp.become('waits to be told')
  const before = smtp.conversations()
  await command({ ...mail, DATA_DIR: folder }, 'user', 'invite', 'kim@example.com', '--org', 'acme-edge')
  await expect.poll(() => smtp.conversations(), { timeout: 30_000 }).toBe(before + 1)
  const stopped = portal.stop()
  smtp.become('takes')
  expect(await stopped).toEqual({ code: 0, signal: null })
  await emailTo('kim@example.com')
  const database = new DatabaseSync(join(folder, 'portal.db'), { readOnly: true })
  expect(database.prepare('select "recipient" from "email" where "sentAt" is not null').all()).toEqual([
    { recipient: 'kim@example.com' },
  ])
  database.close()
})

it('two replicas on one PostgreSQL send one notification of an expiring key', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.close())
  const env = {
    ...mail,
    DATABASE_URL: await server.createDatabase('portal'),
    PORTAL_SECRET,
    LEDGER: join(temporaryFolder(), 'revoked.db'),
  }
  const start = (more = {}) => startPortal(temporaryFolder(), { entry: [QUICK_CHORES], env: { ...env, ...more } })
  const replicas = [await start({ ...ADMIN, ADMIN_EMAIL: 'eve@example.com' }), await start()]
  const { id } = await command<{ id: string }>(env, 'key', 'generate', '--org', 'acme-edge', '--label', 'ci')
  const now = Date.now()
  await askOnce(env.DATABASE_URL)(
    (sql) => sql`update "apiKey" set "createdAt" = ${now - 9 * DAY}, "expiresAt" = ${now + 2 * DAY} where "id" = ${id}`,
  )
  const warnings = () => smtp.received.filter(({ to }) => to.includes('eve@example.com'))
  await expect.poll(() => warnings().length, { timeout: 30_000 }).toBe(1)
  expect(warnings()[0]?.subject).toMatch(/^API key ci of Acme Edge expires on 20\d\d-/)
  for (const replica of replicas) expect(await replica.stop()).toEqual({ code: 0, signal: null })
  expect(warnings()).toHaveLength(1)
})
