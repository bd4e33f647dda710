import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { fieldOf } from '../support/people.ts'
import { runPortal, startDemo, startPortal, temporaryFolder } from '../support/portal-process.ts'
import { ROOT } from '../support/sources.ts'
import { describeOnOwnValkey, startValkey } from '../support/valkey-server.ts'

const WHO = '{ viewer { role } }'
const GENERATE = 'mutation { generateApiKey { secret } }'
const WRONG_PASSWORD = 'not-the-password'

async function valkey(options: Parameters<typeof startValkey>[0] = {}) {
  const its = await startValkey(options)
  onTestFinished(its.close)
  return its
}

const run = (script: string) =>
  promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { cwd: ROOT, timeout: 20_000 })

type Portal = Awaited<ReturnType<typeof startPortal>>

/** How many of so many calls at once are answered with which status. */
async function statuses(portals: readonly Portal[], secret: string, times: number) {
  const calls = Array.from({ length: times }, (_, i) => portals[i % portals.length]?.asKey(secret)(WHO))
  const answers = await Promise.all(calls)
  return Object.fromEntries(
    [...Map.groupBy(answers, (answer) => answer?.status)].map(([status, of]) => [status, of.length]),
  )
}

/** How long each of a hundred calls takes, one after the other; each of them is answered. */
async function waitsOf(both: readonly [Portal, Portal], secret: string): Promise<number[]> {
  const waits: number[] = []
  for (let i = 0; i < 100; i++) {
    const from = performance.now()
    const { status } = await (i % 2 === 0 ? both[0] : both[1]).asKey(secret)(WHO)
    waits.push(performance.now() - from)
    expect([200, 429]).toContain(status)
  }
  return waits
}

const warnings = (portal: Portal) => portal.stderr().match(/^.*Valkey cannot be used.*$/gm) ?? []

/** How often a process has said that limits are shared. */
const answered = (portal: Portal) => portal.stderr().split('Valkey answers').length - 1

describeOnOwnValkey('processes on one Valkey', () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)(
    'share the limit of a key; %s: go on, and share it again after',
    async (how) => {
      const its = await valkey()
      const env = { VALKEY_URL: its.url, RATE_LIMIT: '100' }
      const first = await startDemo(temporaryFolder(), env)
      const both = [first, await startPortal(first.dataDir, { env })] as const
      const make = async () => fieldOf<{ secret: string }>(await first.asKey(first.secret)(GENERATE)).secret
      const [before, meanwhile, after] = [await make(), await make(), await make()]
      expect(await statuses(both, before, 250)).toEqual({ 200: 200, 429: 50 })

      its.send(how)
      const waits = await waitsOf(both, meanwhile)
      expect(Math.max(...waits)).toBeLessThan(1000)
      expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThan(waits.length * 50) // hardly one has waited for it

      await its.kill()
      await its.start()
      await expect.poll(() => both.map(answered), { timeout: 10_000 }).toEqual([2, 2])
      expect(await statuses(both, after, 250)).toEqual({ 200: 200, 429: 50 })
      expect(await first.stop()).toEqual({ code: 0, signal: null })
    },
  )

  it('an open connection does not keep a process from ending', async () => {
    const { stdout } = await run(`
      import { createLog } from './server/lib/log.ts'
      import { connectValkey } from './server/lib/valkey.ts'
      await connectValkey(new URL('${(await valkey()).url}'), createLog('info'))`)
    expect(stdout).toContain('Valkey answers')
  })

  it('a wrong password for Valkey is one warning that does not repeat it; the portal serves, limits and stops', async () => {
    const its = await valkey({ password: 'the-right-password' })
    const env = { VALKEY_URL: its.url.replace('the-right-password', WRONG_PASSWORD), RATE_LIMIT: '5' }
    const portal = await startDemo(temporaryFolder(), env)
    expect(await statuses([portal], portal.secret, 15)).toEqual({ 200: 10, 429: 5 })
    expect(warnings(portal)).toHaveLength(1)
    expect(portal.stderr()).toContain('"reason":"WRONGPASS"')
    expect(portal.stdout() + portal.stderr()).not.toContain(WRONG_PASSWORD)
    expect(await portal.stop()).toEqual({ code: 0, signal: null })
  })
})

it('without VALKEY_URL its client is not even loaded', async () => {
  const { stdout } = await run(`
    import { createRequire } from 'node:module'
    await import('./server/app.ts')
    console.log(Object.keys(createRequire(import.meta.url).cache).join())`)
  expect(stdout).toContain('rate-limiter-flexible')
  expect(stdout).not.toContain('ioredis')
})

it('a Valkey that nobody runs is a warning, and the portal serves', async () => {
  const portal = await startDemo(temporaryFolder(), { VALKEY_URL: 'redis://127.0.0.1:1', RATE_LIMIT: '5' })
  expect(await statuses([portal], portal.secret, 15)).toEqual({ 200: 10, 429: 5 })
  expect(warnings(portal)).toHaveLength(1)
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
})

it('an address of Valkey that is none is refused with a sentence', async () => {
  const env = { DATA_DIR: temporaryFolder(), VALKEY_URL: `http://:${WRONG_PASSWORD}@localhost:6379` }
  const { code, stderr } = await runPortal(['serve'], { env })
  expect(code).toBe(1)
  expect(stderr).toBe(
    'Cannot start: VALKEY_URL must be the address of a Valkey or Redis server, such as valkey://:password@10.0.0.7:6379/0.\n',
  )
})
