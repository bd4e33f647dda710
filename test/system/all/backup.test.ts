import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { plainEnv } from '../../support/environment.ts'
import { launch, runPortal, startDemo, startPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { PORTAL_PROGRAM } from '../../support/process/portal-program.ts'
import { canMount, smallDisk } from '../../support/process/small-disk.ts'
import { addManyEvents } from '../../support/world/many-events.ts'

const MANY = 150_000
const VIEWER = '{ viewer { role } }'

const waitFor = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 2 })

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

async function demoWithMany() {
  const folder = temporaryFolder()
  const portal = await startDemo(join(folder, 'data'))
  addManyEvents(join(folder, 'data', 'portal.db'), MANY)
  return { folder, data: join(folder, 'data'), env: { DATA_DIR: join(folder, 'data') }, portal }
}

it('a backup of a running portal that is killed leaves no file of its name, and the portal serves on', async () => {
  const { folder, env, portal } = await demoWithMany()
  const file = join(folder, 'portal.backup')
  const child = launch([PORTAL_PROGRAM, 'backup', file], env)
  await waitFor(() => readdirSync(folder).some((name) => name.endsWith('.partial')))
  await killed(child)
  expect(existsSync(file)).toBe(false)

  const backups = Promise.all(['a', 'b'].map((name) => runPortal(['backup', join(folder, name)], { env })))
  let isDone = false
  const statuses = new Set<number>()
  const calls = async () => {
    while (!isDone) {
      statuses.add((await portal.asKey(portal.secret)(VIEWER)).status)
      await pause(20)
    }
  }
  const [[first, second]] = await Promise.all([backups.finally(() => (isDone = true)), calls()])
  expect(first).toMatchObject({ code: 0 })
  expect(second).toMatchObject({ code: 0 })
  expect([...statuses]).toEqual([200])
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o600)
  expect((await portal.asKey(portal.secret)(VIEWER)).status).toBe(200)
  const verified = await runPortal(['backup', 'verify', join(folder, 'a'), '--json'])
  expect(JSON.parse(verified.stdout)).toMatchObject({
    verified: true,
    tables: { auditEvent: { rows: expect.any(Number) } },
  })
})

it('SIGTERM ends a backup, and leaves nothing behind', async () => {
  const { folder, env, portal } = await demoWithMany()
  await portal.stop()
  const child = launch([PORTAL_PROGRAM, 'backup', join(folder, 'portal.backup')], env)
  await waitFor(() => readdirSync(folder).some((name) => name.endsWith('.partial')))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
  expect(readdirSync(folder)).toEqual(['data'])
})

it('a restore that is killed leaves the database as it was, and can be repeated', async () => {
  const { folder, data, env, portal } = await demoWithMany()
  const file = join(folder, 'portal.backup')
  expect(await runPortal(['backup', file], { env })).toMatchObject({ code: 0 })
  const generate = 'mutation { generateApiKey(input: {}) { secret } }'
  const { secret } = ((await portal.asKey(portal.secret)(generate)).data as { generateApiKey: { secret: string } })
    .generateApiKey
  const running = await runPortal(['restore', file, '--replace', '--yes'], { env })
  expect(running).toMatchObject({ code: 1, stderr: expect.stringMatching(/^A portal or a command is running/) })
  await portal.stop('SIGKILL') // which leaves its write-ahead log

  const child = launch([PORTAL_PROGRAM, 'restore', file, '--replace', '--yes'], env)
  await waitFor(() => (statSync(join(data, 'portal.db.restoring'), { throwIfNoEntry: false })?.size ?? 0) > 1_000_000)
  child.kill('SIGSTOP')
  const meanwhile = await runPortal(['org', 'list'], { env })
  expect(meanwhile).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^A backup is being restored into/),
  })
  await killed(child)
  const again = await startPortal(data)
  expect((await again.asKey(secret)(VIEWER)).status, 'the key that is not in the backup').toBe(200)
  await again.stop()

  expect(await runPortal(['restore', file, '--replace', '--yes'], { env })).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('    at '),
  })
  expect(existsSync(join(data, 'portal.db.restoring'))).toBe(false)
  const restored = await startPortal(data)
  expect((await restored.asKey(secret)(VIEWER)).status).toBe(401)
  expect((await restored.asKey(portal.secret)(VIEWER)).status).toBe(200)
})

it('a portal makes and verifies backups by schedule, and says so', async () => {
  const folder = temporaryFolder()
  const backups = join(folder, 'backups')
  const portal = await startDemo(join(folder, 'data'), {
    BACKUP_DIR: backups,
    BACKUP_PASSPHRASE: 'a passphrase of the tests',
  })
  const names = () => readdirSync(backups).filter((name) => name.endsWith('.backup'))
  await waitFor(() => names().length === 1)
  await waitFor(() => portal.stderr().includes('a backup was made and verified'))
  const metrics = await (await fetch(`${portal.url}/metrics`)).text()
  const [, at = '0'] = /^portal_backup_verified_timestamp_seconds (\d+)$/m.exec(metrics) ?? []
  expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(300)
  expect(metrics).toMatch(/^portal_backup_failures_total 0$/m)
  expect(readdirSync(backups).sort()).toEqual(['.portal-installation', ...names()])
  const verified = await runPortal(['backup', 'verify', join(backups, names()[0] ?? '')], {
    stdin: 'a passphrase of the tests\n',
  })
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('can be restored') })
})

it.skipIf(!canMount)('a scheduled backup that fails is logged with its reason, and counted', async () => {
  const disk = smallDisk(64)
  disk.fill()
  const portal = await startDemo(join(temporaryFolder(), 'data'), { BACKUP_DIR: disk.folder })
  await waitFor(() => portal.stderr().includes('a scheduled backup failed'))
  expect(portal.stderr()).toMatch(
    /"message":"The disk that holds [^"]+\.backup\.unverified is full: make room on it\."/,
  )
  const metrics = await (await fetch(`${portal.url}/metrics`)).text()
  expect(metrics).toMatch(/^portal_backup_failures_total 1$/m)
  expect(metrics).toMatch(/^portal_backup_verified_timestamp_seconds 0$/m)
  expect(readdirSync(disk.folder)).toEqual(['filler'])
  expect((await portal.asKey(portal.secret)(VIEWER)).status).toBe(200)
})

it('a folder for backups that cannot be written to is refused at the start', async () => {
  const folder = temporaryFolder()
  const env = { DATA_DIR: join(folder, 'data'), BACKUP_DIR: '/proc/backups' }
  const { code, stderr } = await runPortal(['serve'], { env })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('The folder /proc/backups cannot be written to: set BACKUP_DIR'),
  })
})

it.skipIf(!canMount)('on a full disk nothing is half done: neither a backup, nor a restore', async () => {
  const { folder, env, portal } = await demoWithMany()
  await portal.stop()
  const disk = smallDisk(24 * 1024)
  const full = { ...env, DATA_DIR: disk.folder }
  expect(await runPortal(['org', 'create', 'Acme'], { env: full })).toMatchObject({ code: 0 })
  const file = join(folder, 'portal.backup')
  expect(await runPortal(['backup', file], { env })).toMatchObject({ code: 0 })

  const restored = await runPortal(['restore', file, '--replace', '--yes'], { env: full })
  expect(restored).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The disk that holds .*portal\.db\.restoring is full: make room on it\.\n$/),
  })
  expect(readdirSync(disk.folder)).not.toContain('portal.db.restoring')
  const { stdout } = await runPortal(['org', 'list', '--json'], { env: full })
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'Acme' }])

  const verified = await runPortal(['backup', 'verify', file, '--scratch', disk.folder])
  expect(verified).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is full: make room on it, or name a folder on another by --scratch\.\n$/),
  })
  disk.fill()
  const backedUp = await runPortal(['backup', join(disk.folder, 'x')], { env })
  expect(backedUp).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/The disk that holds .* is full: make room on it\.\n$/),
  })
  expect(readdirSync(disk.folder).filter((name) => name.includes('x'))).toEqual([])
})

it('a reader of stdout that goes away ends a backup with an error', async () => {
  const { env, portal } = await demoWithMany()
  await portal.stop()
  const child = spawn(process.execPath, [PORTAL_PROGRAM, 'backup', '-'], {
    env: { ...plainEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (words) => {
    stderr += words
  })
  child.stdout.once('data', () => child.stdout.destroy())
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
  expect(stderr).not.toMatch(/ {4}at /)
})
