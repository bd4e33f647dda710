import { appendFileSync, existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshCheckout } from '../../support/process/checkout.ts'
import { temporaryFolder } from '../../support/process/portal-process.ts'

const GREETING = /^Edge Management Portal is at (\S+)$/m
const WAITS = /Another command is installing or building here/

/** The page that a portal serves, and whether its script is there. */
async function pageAt(url: string) {
  const page = await fetch(url)
  const [, script = ''] = /<script [^>]*src="([^"]+)"/.exec(await page.text()) ?? []
  const answer = await fetch(new URL(script, url))
  return { page: page.status, script: answer.status, type: answer.headers.get('content-type') }
}
const WHOLE = { page: 200, script: 200, type: expect.stringContaining('javascript') }

it('two starts at once in a fresh checkout install once, build once, and both serve; a later build does not affect them', async () => {
  const checkout = freshCheckout()
  const starts = [1, 2].map(() => checkout.npm('start', { DATA_DIR: temporaryFolder() }))
  await Promise.any(starts.map((start) => start.message(WAITS)))
  checkout.letNpmGoOn()

  const urls = await Promise.all(starts.map(async (start) => (await start.message(GREETING))[1] ?? ''))
  expect(checkout.installations()).toEqual(['ci omit'])
  const printed = starts.map((start) => start.printed()).join('')
  expect(printed.match(/^Built\.$/gm)).toHaveLength(1)
  for (const url of urls) expect(await pageAt(url)).toEqual(WHOLE)

  appendFileSync(join(checkout.root, 'web', 'main.tsx'), '\nglobalThis.name = "another build"\n')
  expect(await checkout.node('scripts/build-web.js').ends()).toBe(0)
  for (const url of urls) expect(await pageAt(url)).toEqual(WHOLE)
})

describe('what tests need', () => {
  it('is added to what runs, of which nothing is removed; a later start installs nothing', async () => {
    const checkout = freshCheckout()
    checkout.letNpmGoOn()
    expect(await checkout.node('scripts/setup.js').ends()).toBe(0)
    expect(await checkout.node('scripts/setup.js', '--tests').ends()).toBe(0)
    expect(await checkout.node('scripts/setup.js').ends()).toBe(0)
    expect(checkout.installations()).toEqual(['ci omit', 'install include'])
  })

  it('is installed with the rest again when npm was killed while it added them', async () => {
    const checkout = freshCheckout()
    checkout.letNpmGoOn()
    expect(await checkout.node('scripts/setup.js').ends()).toBe(0)
    checkout.letNpmWait()
    const adding = checkout.node('scripts/setup.js', '--tests')
    await checkout.npmIsRunning()
    expect(await checkout.node('bin/portal.js', '--version').ends()).toBe(0) // it runs all the same
    checkout.killNpm()
    expect(await adding.ends()).toBe(1)
    checkout.letNpmGoOn()
    expect(await checkout.node('scripts/setup.js', '--tests').ends()).toBe(0)
    expect(checkout.installations()).toEqual(['ci omit', 'install include', 'ci include'])
  })
})

describe('the installing process is killed', () => {
  it('but npm continues: the next process waits for it, and installs nothing', async () => {
    const checkout = freshCheckout()
    const killed = checkout.node('scripts/setup.js')
    await checkout.npmIsRunning()
    killed.kill('SIGKILL')
    age(join(checkout.root, '.setup-lock'))
    const next = checkout.node('scripts/setup.js')
    await next.message(WAITS)
    checkout.letNpmGoOn()

    expect(await next.ends()).toBe(0)
    expect(checkout.installations()).toEqual(['ci omit'])
  })

  it('and npm with it: the next process installs', async () => {
    const checkout = freshCheckout()
    const killed = checkout.node('scripts/setup.js')
    await checkout.npmIsRunning()
    killed.kill('SIGKILL')
    checkout.killNpm()
    age(join(checkout.root, '.setup-lock'))
    checkout.letNpmGoOn()

    expect(await checkout.node('scripts/setup.js').ends()).toBe(0)
    expect(checkout.installations()).toEqual(['ci omit', 'ci omit'])
  })
})

/** Nobody has touched it for a while. */
const age = (path: string) => utimesSync(path, 0, Date.now() / 1000 - 60)

describe('a command neither installs nor builds, and says what to run', () => {
  it('when dependencies are missing, or older than the lockfile', async () => {
    const checkout = freshCheckout()
    const refused = /^Dependencies are missing or older than package-lock\.json: run npm run build, .*\.\n$/
    const fresh = checkout.node('bin/portal.js', 'org', 'list')
    expect(await fresh.ends()).toBe(1)
    expect(fresh.printed()).toMatch(refused)
    expect(existsSync(join(checkout.root, 'node_modules'))).toBe(false)

    checkout.letNpmGoOn()
    expect(await checkout.node('scripts/setup.js').ends()).toBe(0)
    const lockfile = join(checkout.root, 'package-lock.json')
    const locked = JSON.parse(readFileSync(lockfile, 'utf8'))
    locked.packages['node_modules/commander'].version = '99.0.0'
    writeFileSync(lockfile, JSON.stringify(locked))
    const old = checkout.node('bin/portal.js', 'org', 'list')
    expect(await old.ends()).toBe(1)
    expect(old.printed()).toMatch(refused)
    expect(checkout.installations()).toEqual(['ci omit'])
  })

  it('when the web interface is not built', async () => {
    const checkout = freshCheckout()
    checkout.letNpmGoOn()
    expect(await checkout.node('scripts/setup.js').ends()).toBe(0)
    const serve = checkout.node('bin/portal.js', 'serve')
    expect(await serve.ends()).toBe(1)
    expect(serve.printed()).toBe('The web interface is not built: run npm run build, then try again.\n')
  })
})
