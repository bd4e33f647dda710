import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { plainEnv } from '../support/environment.ts'
import { machinesNode, PLANTED_VERSIONS } from '../support/process/machines-node.ts'
import { temporaryFolder } from '../support/process/portal-process.ts'
import { ROOT } from '../support/sources.ts'

const PLANTED = ['--import', PLANTED_VERSIONS]
const PORTAL = join(ROOT, 'bin', 'portal.js')
const OLD_SQLITE = { sqlite: '3.51.2' }

/** Runs Node.js with planted versions; `everywhere` in whatever it starts, too. */
async function run(
  args: string[],
  planted: object,
  { runtime = process.execPath, everywhere = false, env = {} as Record<string, string> } = {},
) {
  const data = join(temporaryFolder(), 'data')
  const child = spawn(runtime, [...(everywhere ? [] : PLANTED), ...args], {
    cwd: ROOT,
    env: {
      ...plainEnv(),
      DATA_DIR: data,
      PLANTED_VERSIONS: JSON.stringify(planted),
      ...(everywhere ? { NODE_OPTIONS: `--import "${PLANTED_VERSIONS}"` } : {}),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exit = new Promise((resolve) => child.once('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exit])
  mkdirSync(data, { recursive: true })
  return { code, stdout, stderr, made: readdirSync(data) }
}

it('a machine with too old a SQLite uses the Node.js from npm', async () => {
  expect(await run([PORTAL, 'migrate'], OLD_SQLITE, { runtime: machinesNode(temporaryFolder()) })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('up to date'),
    stderr: '',
  })
})

it('a machine with too old a Node.js uses the one from npm', async () => {
  const old = { node: '20.20.2', sqlite: undefined }
  expect(await run([PORTAL, 'migrate'], old, { runtime: machinesNode(temporaryFolder()) })).toMatchObject({
    code: 0,
    stderr: '',
  })
})

it.each([
  ['by bin/portal.js', PORTAL],
  ['without it', join(ROOT, 'cli', 'main.ts')],
])('without a better one, a SQLite that is too old is not opened: started %s', async (_how, entry) => {
  for (const command of ['migrate', 'serve']) {
    const { code, stdout, stderr, made } = await run([entry, command], OLD_SQLITE, { everywhere: true })
    expect({ code, stdout, made }, stderr).toEqual({ code: 1, stdout: '', made: [] })
    expect(stderr).toMatch(/^This Node\.js .* comes with SQLite 3\.51\.2, which can lose a committed write .*\.\n$/)
  }
})

it('PostgreSQL does not need SQLite', async () => {
  const env = { DATABASE_URL: 'postgres://portal@127.0.0.1:1/portal', PORTAL_SECRET: 'x'.repeat(32) }
  const { code, stderr } = await run([PORTAL, 'migrate'], OLD_SQLITE, { everywhere: true, env })
  expect(code).toBe(1)
  expect(stderr).not.toContain('SQLite')
  expect(stderr).toContain('127.0.0.1')
})

it('without a better one, a Node.js that is too old exits with one sentence', async () => {
  const { code, stdout, stderr } = await run([PORTAL, 'migrate'], { node: '24.6.0' }, { everywhere: true })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^This needs Node\.js 24\.7 or newer .* Install a current one from https:\/\/nodejs\.org.*\.\n$/,
  )
})
