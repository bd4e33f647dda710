import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { RESERVE_BYTES } from '../../../server/db/sqlite/disk-reserve.ts'
import { plainEnv } from '../../support/environment.ts'
import { freePort } from '../../support/process/free-port.ts'
import { runPortal, startDemo, startPortal, temporaryFolder } from '../../support/process/portal-process.ts'
import { PORTAL_PROGRAM } from '../../support/process/portal-program.ts'
import { canMount, smallDisk } from '../../support/process/small-disk.ts'
import { ROOT } from '../../support/sources.ts'
import { post } from '../../support/world/http.ts'
import { fieldOf } from '../../support/world/people.ts'

/*
 * The whole portal on a disk that is really full. Skipped where no small one can be mounted, which needs root on Linux.
 */

const FULL = '/dev/full' // where there is one, as on Linux
const withoutSmallDisk = !canMount
const DISK_KIB = 24 * 1024
const FULL_DISK = /^The disk of the portal is full\. Signing in and revoking keys still work; /

type Portal = Awaited<ReturnType<typeof startPortal>>

const refused = { status: 503, errors: [{ code: 'UNAVAILABLE', message: expect.stringMatching(FULL_DISK) }] }
const createDevice = 'mutation { createDevice(input: { name: "gateway" }) { id } }'
const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids durable } }'
const statusOf = async (portal: Portal, secret: string) => (await portal.asKey(secret)('{ viewer { role } }')).status

async function readyOf({ url }: Portal) {
  const response = await fetch(`${url}/health/ready`)
  return { status: response.status, body: await response.text() }
}

/** What has been written is in the file itself: a log that was long would have room for more. */
function emptyLog(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

/** A portal with some keys, whose reserve is complete. */
async function startOnSmallDisk(keys: number) {
  const disk = smallDisk(DISK_KIB)
  const portal = await startDemo(disk.folder)
  const admin = { email: portal.email, password: portal.password }
  const generate = 'mutation { generateApiKey(input: {}) { secret apiKey { id } } }'
  const generated: { id: string; secret: string }[] = []
  for (let i = 0; i < keys; i++) {
    const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string } }>(
      await portal.asKey(portal.secret)(generate),
    )
    generated.push({ id: apiKey.id, secret })
  }
  const reserve = join(disk.folder, 'portal.db.reserve')
  const isWhole = () =>
    vi.waitFor(() => expect(existsSync(reserve) && statSync(reserve).size).toBe(RESERVE_BYTES), 10_000)
  await isWhole()
  emptyLog(join(disk.folder, 'portal.db'))
  return { disk, portal, secret: portal.secret, admin, keys: generated, isWhole }
}

async function signIn(portal: Portal, admin: { email: string; password: string }) {
  const { status, cookie = '' } = await post(`${portal.url}/auth/sign-in`, admin)
  expect(status).toBe(200)
  return { cookie, call: portal.asSession(cookie, 'demo') }
}

it.skipIf(withoutSmallDisk)(
  'C11: on a full disk an Admin signs in and revokes, for good, and all else says that the disk is full',
  async () => {
    const { disk, portal, secret, admin, keys, isWhole } = await startOnSmallDisk(22)
    const [first, ...others] = keys
    if (!first) throw new Error('No key.')
    disk.fill()

    expect(await portal.asKey(secret)(createDevice)).toMatchObject(refused)
    const { status, body } = await readyOf(portal)
    expect(status).toBe(503)
    expect(JSON.parse(body).errors[0].message).toMatch(FULL_DISK)
    expect(body).not.toContain(disk.folder)
    expect(portal.stderr()).toContain(`The disk that holds ${join(disk.folder, 'portal.db')} is full`)
    expect(await statusOf(portal, secret)).toBe(200)

    const { call, cookie } = await signIn(portal, admin)
    expect(fieldOf(await call(revoke, { id: first.id }))).toEqual({ ids: [first.id], durable: true })
    expect(await statusOf(portal, first.secret)).toBe(401)
    expect(await call(createDevice)).toMatchObject(refused)
    expect((await post(`${portal.url}/auth/sign-out`, {}, { cookie })).status).toBeLessThan(300)

    await portal.stop('SIGKILL')
    disk.fill()
    const again = await startPortal(disk.folder)
    disk.fill()
    expect(await statusOf(again, first.secret)).toBe(401)
    expect(await statusOf(again, secret)).toBe(200)
    expect(await again.asKey(secret)(createDevice)).toMatchObject(refused)
    for (const { id } of others.slice(0, 20)) {
      disk.fill()
      fieldOf(await again.asKey(secret)(revoke, { id }))
    }
    expect(await Promise.all(others.map((each) => statusOf(again, each.secret)))).toEqual([...Array(20).fill(401), 200])
    expect((await readyOf(again)).status).toBe(503)

    disk.makeRoom()
    await vi.waitFor(async () => expect((await readyOf(again)).status).toBe(200), 10_000)
    await isWhole()
    fieldOf(await again.asKey(secret)(createDevice))
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  },
)

it.skipIf(withoutSmallDisk)(
  'C11: whatever ends access works on a full disk, and what gives access does not',
  async () => {
    const { disk, portal, secret, admin, keys } = await startOnSmallDisk(3)
    const [key, ...others] = keys
    const { call } = await signIn(portal, admin)
    const invite = async (email: string) =>
      fieldOf<{ user: { id: string } }>(
        await call('mutation ($input: InviteUserInput!) { inviteUser(input: $input) { user { id } } }', {
          input: { email, role: 'ADMIN' },
        }),
      ).user.id
    const [eve, mallory] = [await invite('eve@example.com'), await invite('mallory@example.com')]
    const changeRole = 'mutation ($id: ID!, $role: Role!) { changeUserRole(userId: $id, role: $role) { id } }'
    const onFullDisk = (query: string, variables: object) => {
      disk.fill()
      return call(query, variables)
    }

    fieldOf(await onFullDisk(changeRole, { id: eve, role: 'MEMBER' }))
    expect(await onFullDisk(changeRole, { id: eve, role: 'ADMIN' })).toMatchObject(refused)
    fieldOf(await onFullDisk('mutation ($id: ID!) { removeUser(userId: $id) }', { id: mallory }))
    const ids = others.map(({ id }) => id)
    fieldOf(await onFullDisk('mutation ($ids: [ID!]) { revokeApiKeys(input: { ids: $ids }) { ids } }', { ids }))
    expect(await onFullDisk('mutation { setApiKeysEnabled(enabled: false) { id } }', {})).toMatchObject(refused)
    fieldOf(await onFullDisk('mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }', {}))
    expect(await Promise.all([secret, key?.secret ?? ''].map((each) => statusOf(portal, each)))).toEqual([401, 401])
  },
)

it.skipIf(withoutSmallDisk)('C11: on a full disk people change their password and end their sessions', async () => {
  const { disk, portal, admin } = await startOnSmallDisk(0)
  const { cookie: old } = await signIn(portal, admin)
  const newPassword = 'another long enough passphrase'
  const change = { password: admin.password, newPassword }
  disk.fill()
  const { cookie = '', status } = await post(`${portal.url}/auth/change-password`, change, { cookie: old })
  expect(status).toBe(200)

  for (let i = 0; i < 2; i++) {
    disk.fill()
    await signIn(portal, { ...admin, password: newPassword })
  }
  const call = portal.asSession(cookie, 'demo')
  const [newest] = fieldOf<{ id: string }[]>(await call('{ sessions { id } }'))
  disk.fill()
  fieldOf(await call('mutation ($id: ID!) { revokeSession(id: $id) }', { id: newest?.id }))
  disk.fill()
  expect(fieldOf(await call('mutation { revokeOtherSessions }'))).toBe(1)
  disk.fill()
  expect((await post(`${portal.url}/auth/sign-out`, {}, { cookie })).status).toBeLessThan(300)
  expect((await call('{ viewer { role } }')).status).toBe(401)
})

it.skipIf(withoutSmallDisk)('C11: the command line revokes on a full disk while the portal is stopped', async () => {
  const { disk, portal, secret, keys } = await startOnSmallDisk(3)
  const [key, ...others] = keys
  if (!key) throw new Error('No key.')
  disk.fill()
  expect(await portal.stop()).toEqual({ code: 0, signal: null })
  disk.fill()
  const env = { DATA_DIR: disk.folder }

  const generated = await runPortal(['key', 'generate', '--org', 'demo'], { env })
  expect(generated).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(FULL_DISK) })
  disk.fill()
  const revoked = await runPortal(['key', 'revoke', key.id, '--yes'], { env })
  expect(revoked).toMatchObject({ code: 0, stdout: expect.stringContaining(key.id), stderr: '' })

  disk.fill()
  const many = await runPortal(['key', 'revoke', ...others.map(({ id }) => id), '--yes'], { env })
  expect(many).toMatchObject({ code: 0, stderr: '' })

  disk.fill()
  const again = await startPortal(disk.folder)
  expect(await Promise.all(keys.map((each) => statusOf(again, each.secret)))).toEqual([401, 401, 401])
  expect(await statusOf(again, secret)).toBe(200)
})

it.skipIf(!existsSync(FULL))('goes on when neither its log nor its greeting can be written', async () => {
  const folder = temporaryFolder()
  const port = await freePort()
  const env = { ...plainEnv(), DATA_DIR: folder, PORT: String(port), LOG_LEVEL: 'debug' }
  const full = openSync(FULL, 'a')
  const child = spawn(process.execPath, [PORTAL_PROGRAM, 'serve'], { cwd: ROOT, env, stdio: ['ignore', full, full] })
  const ended = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))

  const statusAt = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  await vi.waitFor(async () => expect(await statusAt('/health/ready')).toBe(200), { timeout: 30_000, interval: 100 })
  for (let i = 0; i < 20; i++) expect(await statusAt('/health/live')).toBe(200) // each is logged
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})
