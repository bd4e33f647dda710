import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { runPortal, startDemo, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { describeOnOwnValkey, startValkey } from '../support/process/valkey-server.ts'
import { ROOT } from '../support/sources.ts'
import { fieldOf } from '../support/world/people.ts'

const LEFT = '{ rateLimit { remaining } }'
const PATIENTLY = { timeout: 30_000 }
const WRONG_PASSWORD = 'not-the-password'

async function valkey(options: Parameters<typeof startValkey>[0] = {}) {
  const its = await startValkey(options)
  onTestFinished(its.close)
  return its
}

const run = (script: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT, timeout: 120_000 })

type Portal = Awaited<ReturnType<typeof startPortal>>

/** With which statuses a burst is answered that is far beyond the limit. */
async function burst(portal: Portal, secret: string) {
  const answers = await Promise.all(Array.from({ length: 60 }, () => portal.asKey(secret)(LEFT)))
  return [...new Set(answers.map(({ status }) => status))].sort()
}

/** What a call with this key leaves of its limit. */
const left = async (portal: Portal, secret: string) =>
  fieldOf<{ remaining: number }>(await portal.asKey(secret)(LEFT)).remaining

/**
 * By how much the limit shrinks from a call to the first process to the next one to it, with one to the second in between:
 * 2 where they share it, 1 where each has its own. Another number where a new second has begun meanwhile.
 */
async function shrinks(first: Portal, second: Portal, secret: string): Promise<number> {
  const before = await left(first, secret)
  await left(second, secret)
  return before - (await left(first, secret))
}

const warnings = (portal: Portal) => portal.stderr().match(/^.*Valkey cannot be used.*$/gm) ?? []

/** How often a process has said that limits are shared. */
const answered = (portal: Portal) => portal.stderr().split('Valkey answers').length - 1

describeOnOwnValkey('processes on one Valkey', () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'share the limit of a key; %s: continue, and share it again afterwards',
    async (how) => {
      const its = await valkey()
      const env = { VALKEY_URL: its.url, RATE_LIMIT: '1000' }
      const first = await startDemo(temporaryFolder(), env)
      const second = await startPortal(first.dataDir, { env })
      const shrinking = () => shrinks(first, second, first.secret)
      await expect.poll(shrinking, PATIENTLY).toBe(2)

      its.send(how)
      await expect.poll(shrinking, PATIENTLY).toBe(1)
      expect([first, second].map((portal) => warnings(portal).length)).toEqual([1, 1])

      await its.kill()
      await its.start()
      await expect.poll(() => [first, second].map(answered), PATIENTLY).toEqual([2, 2])
      await expect.poll(shrinking, PATIENTLY).toBe(2)
      expect(await first.stop()).toEqual({ code: 0, signal: null })
    },
  )

  it('an open connection does not keep a process alive', async () => {
    const { stdout } = await run(`
      import { createLog } from './server/lib/log.ts'
      import { connectValkey } from './server/lib/valkey.ts'
      await connectValkey(new URL('${(await valkey()).url}'), createLog('info'))`)
    expect(stdout).toContain('Valkey answers')
  })

  it('a wrong password for Valkey is one warning that does not repeat it; the portal serves, limits and stops', async () => {
    const its = await valkey({ password: 'the-right-password' })
    const env = { VALKEY_URL: its.url.replace('the-right-password', WRONG_PASSWORD), RATE_LIMIT: '1' }
    const portal = await startDemo(temporaryFolder(), env)
    expect(await burst(portal, portal.secret)).toEqual([200, 429])
    expect(warnings(portal)).toHaveLength(1)
    expect(portal.stderr()).toContain('"reason":"WRONGPASS"')
    expect(portal.stdout() + portal.stderr()).not.toContain(WRONG_PASSWORD)
    expect(await portal.stop()).toEqual({ code: 0, signal: null })
  })
})

it('without VALKEY_URL its client is not loaded', async () => {
  const { stdout } = await run(`
    import { createRequire } from 'node:module'
    await import('./server/app.ts')
    console.log(Object.keys(createRequire(import.meta.url).cache).join())`)
  expect(stdout).toContain('rate-limiter-flexible')
  expect(stdout).not.toContain('ioredis')
})

it('a Valkey that is not running is a warning, and the portal serves', async () => {
  const portal = await startDemo(temporaryFolder(), { VALKEY_URL: 'redis://127.0.0.1:1', RATE_LIMIT: '1' })
  expect(await burst(portal, portal.secret)).toEqual([200, 429])
  expect(warnings(portal)).toHaveLength(1)
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
})

it('an invalid address of Valkey is refused with one sentence', async () => {
  const env = { DATA_DIR: temporaryFolder(), VALKEY_URL: `http://:${WRONG_PASSWORD}@localhost:6379` }
  const { code, stderr } = await runPortal(['serve'], { env })
  expect(code).toBe(1)
  expect(stderr).toBe(
    'Cannot start: VALKEY_URL must be the address of a Valkey or Redis server, such as valkey://:password@10.0.0.7:6379/0.\n',
  )
})
