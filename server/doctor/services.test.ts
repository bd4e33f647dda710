import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { examinedBy, expectFound } from '../../test/support/process/examined.ts'
import { freePort } from '../../test/support/process/free-port.ts'
import { startSmtpServer } from '../../test/support/process/smtp-server.ts'
import { stoppedPortal } from '../../test/support/process/stopped-portal.ts'
import { describeOnOwnValkey, startValkey } from '../../test/support/process/valkey-server.ts'
import { runInProcess } from '../../test/support/world/command-line.ts'

describe('of the mail server doctor finds', () => {
  const found = async (SMTP_URL: string) => {
    const env = { DATA_DIR: await stoppedPortal(), SMTP_URL }
    return (await examinedBy({ env })).get('mail')
  }

  it('nothing but that BASE_URL is missing, if it accepts the portal; and sends no email', async () => {
    const server = await startSmtpServer({ login: { user: 'portal', password: 'right' } })
    onTestFinished(server.close)
    expect(await found(server.url)).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(/BASE_URL is not set/),
    })
    expect([server.conversations(), server.received.length]).toEqual([1, 0])
  })

  it('a wrong password', async () => {
    const server = await startSmtpServer({ login: { user: 'portal', password: 'right' } })
    onTestFinished(server.close)
    expect(await found(server.url.replace('right', 'wrong'))).toMatchObject({
      level: 'failure',
      message: expect.stringMatching(/refuses the portal with 535/),
    })
  })

  it('that it cannot be reached', async () => {
    expect(await found(`smtp://127.0.0.1:${await freePort()}?from=a@example.com`)).toMatchObject({
      level: 'failure',
      message: expect.stringMatching(/does not answer/),
    })
  })
})

it('finds that Valkey cannot be reached', async () => {
  const env = { DATA_DIR: await stoppedPortal(), VALKEY_URL: `valkey://127.0.0.1:${await freePort()}` }
  await expectFound({ env }, 'Valkey', 'failure', /cannot be used \(ECONNREFUSED\)/)
})

describeOnOwnValkey('of Valkey doctor finds', () => {
  it('a wrong password, without repeating it', async () => {
    const server = await startValkey({ password: 'right' })
    onTestFinished(server.close)
    const env = { DATA_DIR: await stoppedPortal(), VALKEY_URL: server.url.replace('right', 'wrong') }
    await expectFound({ env }, 'Valkey', 'failure', /^Valkey cannot be used \(WRONGPASS\)/)
  })

  it('that it is a replica, which accepts no writes', async () => {
    const server = await startValkey()
    onTestFinished(server.close)
    await server.ask('REPLICAOF', '127.0.0.1', String(await freePort()))
    const env = { DATA_DIR: await stoppedPortal(), VALKEY_URL: server.url }
    await expectFound({ env }, 'Valkey', 'failure', /leads to a replica/)
  })

  it('nothing, a policy that deletes counters, and that it is gone', async () => {
    const server = await startValkey()
    onTestFinished(server.close)
    const env = { DATA_DIR: await stoppedPortal(), VALKEY_URL: server.url }
    expect((await examinedBy({ env })).get('Valkey')).toMatchObject({
      level: 'success',
      message: expect.stringMatching(/^Version \d/),
    })
    await server.ask('CONFIG', 'SET', 'maxmemory', '100mb')
    await server.ask('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    await expectFound({ env }, 'Valkey', 'warning', /maxmemory-policy is allkeys-lru/)
    await server.kill()
    await expectFound({ env }, 'Valkey', 'failure', /cannot be used \(ECONNREFUSED\)/)
  })
})

it('a check that gets no answer is a failure after its time limit, and the others go on', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const address = silent.address()
  const port = typeof address === 'object' ? address?.port : 0
  const env = { DATA_DIR: await stoppedPortal(), SMTP_URL: `smtp://127.0.0.1:${port}?from=a@example.com` }
  const found = await examinedBy({ env, options: { limitMs: 50 } })
  expect(found.get('mail')).toMatchObject({
    level: 'failure',
    message: expect.stringMatching(/could not be checked: It took longer/),
  })
  expect(found.get('BASE_URL')).toBeDefined()
})

describe('portal doctor', () => {
  it('prints what to do, and exits with 0 or 1', async () => {
    const env = { DATA_DIR: await stoppedPortal() }
    const sound = await runInProcess(['doctor'], { env })
    expect(sound).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/0 failures, 1 warning\.\n$/) })
    expect(sound.stdout).toContain('ok       configuration: ')
    const wrong = await runInProcess(['doctor'], { env: { ...env, PORT: 'x', RATELIMIT: '1' } })
    expect(wrong).toMatchObject({ code: 1, stderr: '' })
    expect(wrong.stdout).toMatch(/^FAILURE {2}configuration: Cannot start: PORT must be .*\n {9}→ Correct these/)
    expect(wrong.stdout).toContain('→ Did you mean RATE_LIMIT?')
  })

  it('prints one JSON document with --json', async () => {
    const { code, stdout } = await runInProcess(['doctor', '--json'], { env: { PORT: 'x' } })
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      version: expect.any(String),
      checks: [
        { check: 'configuration', level: 'failure', action: expect.any(String) },
        { level: 'success', action: null },
      ],
    })
  })
})
