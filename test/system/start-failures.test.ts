import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { demoIn, runPortal, startDemo, startPortal, temporaryFolder } from '../support/portal-process.ts'

const PAGE = 4096
const isRoot = process.getuid?.() === 0

/** A start that fails: its one sentence, once it is clear that there is nothing else. */
async function failedStart(env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await runPortal(['serve'], { env })
  expect({ code, stdout }, stderr).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^[A-Z].*\.\n$/)
  expect(stderr).not.toMatch(/ {4}at |Error|\.ts\b|node:/)
  return stderr.trimEnd()
}

it('says what to do when the port is taken, and has made nothing yet', async () => {
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

it('says what to do when HOST is no address of this machine', async () => {
  const words = / is no address of this machine: set it to 127\.0\.0\.1, or to 0\.0\.0\.0 to be reached from others\.$/
  for (const host of ['203.0.113.7', 'nowhere.invalid']) {
    const says = await failedStart({ DATA_DIR: temporaryFolder(), HOST: host })
    expect(says).toMatch(words)
    expect(says).toContain(`HOST ${host}`)
  }
})

it('says what to do when the folder cannot be written to', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'a-file')
  writeFileSync(file, '')
  const places = [file, join(file, 'below')]
  if (!isRoot) {
    chmodSync(folder, 0o500)
    onTestFinished(() => chmodSync(folder, 0o700))
    places.push(folder, join(folder, 'below'))
  }
  for (const place of places) {
    const says = await failedStart({ DATA_DIR: place })
    expect(says).toMatch(
      /^The folder .* cannot be written to \(.+\): set DATA_DIR to one that can, or change its owner\.$/,
    )
    expect(says).toContain(place)
  }
})

it('says what to do when the database is damaged, and leaves the file as it is', async () => {
  const seed = temporaryFolder()
  const portal = await startDemo(seed)
  await portal.stop()
  const { size } = statSync(join(seed, 'portal.db'))
  const middle = Math.floor(size / PAGE / 2) * PAGE
  const damages: Record<string, (file: string) => void> = {
    'garbage from the start': (file) => writeFileSync(file, 'garbage '.repeat(10_000)),
    'less than a header': (file) => truncateSync(file, 50),
    'a page and a half': (file) => truncateSync(file, PAGE * 1.5),
    'cut in the middle': (file) => truncateSync(file, middle),
    'a header of zeros': (file) => overwrite(file, 0, Buffer.alloc(100)),
    'a page of zeros in the middle': (file) => overwrite(file, middle, Buffer.alloc(PAGE)),
    'garbage in the middle': (file) => overwrite(file, middle, Buffer.alloc(PAGE, 'garbage ')),
    'garbage at the end': (file) => overwrite(file, size - PAGE, Buffer.alloc(PAGE, 'garbage ')),
  }
  for (const [name, damage] of Object.entries(damages)) {
    const folder = temporaryFolder()
    const file = join(folder, 'portal.db')
    cpSync(join(seed, 'portal.db'), file)
    damage(file)
    const before = readFileSync(file)

    expect(await failedStart({ DATA_DIR: folder }), name).toBe(
      `The database ${file} is damaged or is not a database: restore it from a backup, or move it away to start with an empty one.`,
    )
    expect(readFileSync(file).equals(before), name).toBe(true)
  }
})

it('says what to do when the database is newer than the program, and leaves the file as it is', async () => {
  const folder = temporaryFolder()
  await (await startDemo(folder)).stop()
  const file = join(folder, 'portal.db')
  const database = new DatabaseSync(file)
  database.exec(`insert into "migration" ("version", "name", "appliedAt") values (1000, 'from the future', 0)`)
  database.close()
  const before = readFileSync(file)

  expect(await failedStart({ DATA_DIR: folder })).toMatch(
    /^The database is newer than this program \(version 1000, this one knows \d+\): start the newer program, or restore a backup made before the upgrade\.$/,
  )
  expect(readFileSync(file).equals(before)).toBe(true)
})

it('says all at once what is wrong with the variables, in one sentence that repeats no value', async () => {
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
  const says = await failedStart({ DATA_DIR: folder, ...bad })
  expect(says).toBe(
    `Cannot start: ${[
      'PORT must be a whole number from 0 to 65535, such as 4000',
      'BASE_URL must be the address of the portal without a path, such as https://portal.example.com',
      'DATABASE_URL has a parameter sslmode that is none of disable, prefer, require, verify-ca, verify-full',
      'SIGN_UP must be "on" or "off"',
      'RATE_LIMIT must be a whole number of requests a second, such as 100, or "off"',
      'SMTP_URL has a parameter from that is no e-mail address such as portal@example.com',
      'TRUST_PROXY must be "on", "off" or the addresses of the proxies, such as 10.0.0.1,10.1.0.0/16',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'ADMIN_EMAIL: an e-mail address such as ada@example.com',
      'ADMIN_PASSWORD: 12 to 256 characters',
      'ORGANIZATION: 1 to 80 characters',
      'PORTAL_SECRET must have 32 characters or more, the same for all that use this DATABASE_URL',
    ].join('; ')}.`,
  )
  expect(existsSync(folder)).toBe(false)
})

it('ends with one line in the log when something unforeseen happens', async () => {
  const onSignal = { thrown: 'throw error', rejected: 'Promise.reject(error)' }
  for (const [name, happens] of Object.entries(onSignal)) {
    const planted = `process.on('SIGUSR2', () => { const error = new Error('planted ' + '${name}'); ${happens} })`
    const portal = await startPortal(temporaryFolder(), {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(planted)}` },
    })
    portal.send('SIGUSR2')

    expect(await portal.ended).toEqual({ code: 1, signal: null })
    const lines = portal.stderr().trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', msg: 'listening' },
      { level: 'fatal', msg: 'ended by a bug', err: { message: `planted ${name}` } },
    ])
  }
})

function overwrite(file: string, position: number, bytes: Buffer): void {
  const opened = openSync(file, 'r+')
  writeSync(opened, bytes, 0, bytes.length, position)
  closeSync(opened)
}
