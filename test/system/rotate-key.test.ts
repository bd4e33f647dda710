import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { HOUR } from '../../server/lib/clock.ts'
import { plainEnv } from '../support/portal-process.ts'
import { ROOT } from '../support/sources.ts'
import { type Person, startWorld, type TestKey, type TestOrganization, type World } from '../support/world.ts'

/*
 * docs/examples/rotate-key.sh, the very file, with a real sh and a real curl.
 */

const SCRIPT = join(ROOT, 'docs', 'examples', 'rotate-key.sh')
const NOBODY = 65_534 // an ordinary user: root may write anywhere

type Fate = 'forward' | 'lose the request' | 'lose the answer'

let world: World
let ada: Person
let acme: TestOrganization
let key: TestKey
let folder: string
let file: string

beforeAll(async () => {
  world = await startWorld()
  ada = await world.signUp('Ada')
})
afterAll(() => world.close())

beforeEach(async () => {
  acme = await world.organization('Acme', { admin: ada })
  key = await world.generateKey(ada, acme, { label: 'ci' })
  folder = mkdtempSync(join(tmpdir(), 'portal-'))
  file = join(folder, 'portal-key')
  writeFileSync(file, `${key.secret}\n`, { mode: 0o600 })
  return () => rmSync(folder, { recursive: true, force: true })
})

async function run(
  { url = world.url, uid }: { url?: string; uid?: number } = {},
  started: (child: ChildProcess) => void = () => {},
) {
  const env = { ...plainEnv(), PORTAL_URL: url, KEY_FILE: file, OVERLAP_SECONDS: '3600' }
  const child =
    uid === undefined ? spawn('sh', [SCRIPT], { env }) : spawn('sh', ['-s'], { env, uid, gid: uid, cwd: '/' })
  if (uid !== undefined) child.stdin.end(readFileSync(SCRIPT)) // where the project lies may be nobody's to read
  started(child)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: code as number, stdout, stderr }
}

/** Time passes, and Ada signs in again. */
async function later(ms: number): Promise<void> {
  world.clock.advance(ms)
  const { name, email, password } = ada
  ada = await world.personOf(name, email, await world.post('/auth/sign-in', { email, password }))
}

const stored = () => readFileSync(file, 'utf8').trim()
const isAccepted = async (secret: string) => (await world.asKey(secret).call('{ viewer { role } }')).status === 200

const keys = async () => {
  const { data } = await ada.call('{ apiKeys { data { id replacedBy { id } } } }', {}, acme.slug)
  return (data as { apiKeys: { data: { id: string; replacedBy: { id: string } | null }[] } }).apiKeys.data
}

/** The file has a new key that works, the old one is in its overlap, and there is no third one. */
async function expectRotated(): Promise<void> {
  expect(stored()).toMatch(/^emp_[0-9A-Za-z]{49}$/)
  expect(stored()).not.toBe(key.secret)
  expect([await isAccepted(stored()), await isAccepted(key.secret)]).toEqual([true, true])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['portal-key'])
  const all = await keys()
  expect(all.map(({ id }) => id)).toContain(key.id)
  expect(all.length).toBe(2)
  expect(all.find(({ id }) => id === key.id)?.replacedBy?.id).toBe(all.find(({ id }) => id !== key.id)?.id)
}

/** The file is as it was, and its key works. */
async function expectAsBefore(): Promise<void> {
  expect(stored()).toBe(key.secret)
  expect(await isAccepted(key.secret)).toBe(true)
  expect(existsSync(`${file}.lock`)).toBe(false)
}

/** A network in front of the portal that decides for each request what becomes of it. */
async function network(fateOf: (body: string) => Fate): Promise<string> {
  const server = createServer(async (incoming, rotated) => {
    const body = await text(incoming)
    const fate = fateOf(body)
    if (fate === 'lose the request') return void incoming.socket.destroy()
    const forwarded = request(`${world.url}${incoming.url}`, { method: incoming.method, headers: incoming.headers })
    forwarded.end(body)
    const [answer] = await once(forwarded, 'response')
    const bytes = await buffer(answer)
    if (fate === 'lose the answer') return void incoming.socket.destroy()
    rotated.writeHead(answer.statusCode, answer.headers).end(bytes)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // as long as it listens on a port
}

const FULL = '/dev/full' // where there is one, as on Linux
const withoutFullDisk = !existsSync(FULL)

const isRotation = (body: string) => body.includes('rotateApiKey')

it('replaces its own key in the file, tests the new one, and prints neither', async () => {
  const { code, stdout, stderr } = await run()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe('rotate-key: done.\n')
  await expectRotated()
})

it('day by day: each run replaces the key of the run before, once the overlap is over', async () => {
  await run()
  const first = stored()
  await later(HOUR)
  expect(await run()).toMatchObject({ code: 0 })
  expect(stored()).not.toBe(first)
  expect([await isAccepted(first), await isAccepted(stored())]).toEqual([true, true])
  expect(await isAccepted(key.secret)).toBe(false)
})

it('a run before the end of the overlap changes nothing, and says so', async () => {
  await run()
  const first = stored()
  expect(await run()).toEqual({ code: 0, stdout: expect.stringContaining('too early'), stderr: '' })
  expect(stored()).toBe(first)
  await expectRotated()
})

it.each<[string, Fate]>([
  ['the request is lost', 'lose the request'],
  ['the answer is lost, and the new secret with it', 'lose the answer'],
])('if %s during the run, the old key stays, and the next run repairs it', async (_words, fate) => {
  const { code, stderr } = await run({ url: await network((body) => (isRotation(body) ? fate : 'forward')) })
  expect(code).toBe(1)
  expect(stderr).toContain('was left as it is.')
  await expectAsBefore()

  expect(await run()).toMatchObject({ code: 0 })
  await expectRotated()
})

it('if the run is killed in the middle, the next one repairs it', async () => {
  let running: ChildProcess | undefined
  const url = await network((body) => {
    if (isRotation(body)) running?.kill('SIGKILL')
    return 'forward'
  })
  await run({ url }, (child) => {
    running = child
  })
  expect(running?.signalCode).toBe('SIGKILL')
  expect(stored()).toBe(key.secret)
  expect(existsSync(`${file}.lock`)).toBe(true)

  expect(await run()).toMatchObject({ code: 0 })
  await expectRotated()
})

it('if the network fails before the new key is tested, the next run tests and stores it', async () => {
  let isRotated = false
  const fateOf = (body: string): Fate => {
    if (isRotated) return 'lose the answer'
    isRotated = isRotation(body)
    return 'forward'
  }
  expect(await run({ url: await network(fateOf) })).toMatchObject({ code: 1 })
  await expectAsBefore()
  const waiting = readFileSync(`${file}.new`, 'utf8').trim()
  expect(await run({ url: await network(() => 'lose the request') })).toMatchObject({ code: 1 })
  await expectAsBefore()

  expect(await run()).toMatchObject({ code: 0 })
  expect(stored()).toBe(waiting)
  await expectRotated()
})

it.skipIf(withoutFullDisk)('if the disk is full before the run, nothing is rotated', async () => {
  symlinkSync(FULL, `${file}.new`)
  const { code, stderr } = await run()
  expect(code).toBe(1)
  expect(stderr).toContain('There is no room for the new key.')
  await expectAsBefore()
  expect((await keys()).map(({ id }) => id)).toEqual([key.id])
})

it.skipIf(withoutFullDisk)('if the disk fills up during the run, the next run repairs it', async () => {
  const url = await network((body) => {
    if (isRotation(body)) {
      rmSync(`${file}.new`)
      symlinkSync(FULL, `${file}.new`)
    }
    return 'forward'
  })
  expect(await run({ url })).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be stored') })
  await expectAsBefore()
  rmSync(`${file}.new`)

  expect(await run()).toMatchObject({ code: 0 })
  await expectRotated()
})

it('if the folder is not writable, nothing is rotated', async () => {
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [folder, file]) chownSync(path, NOBODY, NOBODY)
  chmodSync(folder, 0o500)
  const { code, stderr } = await run(isRoot ? { uid: NOBODY } : {})
  chmodSync(folder, 0o700)
  expect(code).toBe(1)
  expect(stderr).toContain('The folder of the key cannot be written to.')
  await expectAsBefore()
  expect((await keys()).map(({ id }) => id)).toEqual([key.id])
})

it('if another machine has replaced the key and uses the new one, it changes nothing', async () => {
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'
  const { data } = await ada.call(rotate, { id: key.id }, acme.slug)
  const { secret } = (data as { rotateApiKey: { secret: string } }).rotateApiKey
  await isAccepted(secret) // the first use is written down at once

  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('in use elsewhere') })
  await expectAsBefore()
  expect(await isAccepted(secret)).toBe(true)
})

it('does nothing while another run is active, and the lock of a killed run does not stop it', async () => {
  writeFileSync(`${file}.lock`, `${process.pid}\n`)
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('Another run is at work.') })
  expect(stored()).toBe(key.secret)

  writeFileSync(`${file}.lock`, '4194304\n') // beyond the largest process id
  expect(await run()).toMatchObject({ code: 0 })
  await expectRotated()
})

it('a refused key stays in the file, with the message of the portal', async () => {
  await ada.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }, acme.slug)
  expect(await run()).toMatchObject({ code: 1, stderr: expect.stringContaining('API_KEY_INVALID') })
  expect(stored()).toBe(key.secret)
})
