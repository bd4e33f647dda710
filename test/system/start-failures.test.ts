import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { demoIn, runPortal, startDemo, startPortal, temporaryFolder } from '../support/process/portal-process.ts'

/** A start that fails: its one sentence, once it is clear that there is nothing else. */
async function failedStart(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runPortal(['serve'], { env })
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z].*\.\n$/)
  expect(stderr).not.toMatch(/ {4}at |Error|\.ts\b|node:/)
  return stderr.trimEnd()
}

it('says what to do when the port is taken, and has created nothing yet', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const address = other.address()
  const port = String(typeof address === 'object' && address?.port)
  const folder = temporaryFolder()

  const { code, stdout, stderr } = await runPortal(['serve', '--demo'], { env: { DATA_DIR: folder, PORT: port } })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(
    `Port ${port} is taken: stop the program that uses it, or set PORT to another number, as in PORT=4001.\n`,
  )
  // The key and the password are shown by the start that makes them: one that fails must not have used that up.
  expect(demoIn((await startDemo(folder)).stdout()).secret).toMatch(/^emp_/)
})

it('says what to do when the database is damaged, in one sentence', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'portal.db'), 'garbage '.repeat(10_000))
  expect(await failedStart({ DATA_DIR: folder })).toMatch(/^The database .* is damaged or is not a database: /)
})

it('reports all invalid variables at once, in one sentence that repeats no value', async () => {
  const folder = join(temporaryFolder(), 'not-made')
  const bad = {
    PORT: 'abc',
    BASE_URL: 'ftp://hunter2.example.com',
    SIGN_UP: 'maybe',
    RATE_LIMIT: '-1',
    TRUST_PROXY: 'banana',
    LOG_LEVEL: 'loud',
    ADMIN_EMAIL: 'nobody',
    ADMIN_PASSWORD: 'hunter2',
    ORGANIZATION: 'x'.repeat(81),
    PORTAL_SECRET: 'hunter2',
    DATABASE_URL: 'postgres://u:hunter2@h/d?sslmode=hunter2',
    SMTP_URL: 'smtp://hunter2?from=hunter2',
  }
  const message = await failedStart({ DATA_DIR: folder, ...bad })
  expect(message).toBe(
    `Cannot start: ${[
      'PORT must be a whole number from 0 to 65535, such as 4000',
      'BASE_URL must be the address of the portal without a path, such as https://portal.example.com',
      'DATABASE_URL has a parameter sslmode that is none of disable, prefer, require, verify-ca, verify-full',
      'SIGN_UP must be "on" or "off"',
      'RATE_LIMIT must be a whole number of requests a second, such as 100, or "off"',
      'SMTP_URL has a parameter from that is not an email address such as portal@example.com',
      'TRUST_PROXY must be "on", "off" or the addresses of the proxies, such as 10.0.0.1,10.1.0.0/16',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'ADMIN_EMAIL: an email address such as ada@example.com',
      'ADMIN_PASSWORD: 12 to 256 characters',
      'ORGANIZATION: 1 to 80 characters',
      'PORTAL_SECRET must have 32 characters or more, the same for all that use this DATABASE_URL',
    ].join('; ')}.`,
  )
  expect(existsSync(folder)).toBe(false)
})

it.each([
  ['thrown', 'throw error'],
  ['rejected', 'Promise.reject(error)'],
])('exits with one line in the log when an unexpected error is %s', async (name, happens) => {
  const planted = `process.on('SIGUSR2', () => { const error = new Error('planted'); ${happens} })`
  const portal = await startPortal(temporaryFolder(), {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}` },
  })
  portal.send('SIGUSR2')

  expect(await portal.ended, name).toEqual({ code: 1, signal: null })
  const lines = portal.stderr().trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', msg: 'listening' },
    { level: 'fatal', msg: 'stopped by an unexpected error', err: { message: 'planted' } },
  ])
})
