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
import { expect, onTestFinished } from 'vitest'
import { HOUR } from '../../server/lib/clock.ts'
import { plainEnv } from '../support/environment.ts'
import { ROOT } from '../support/sources.ts'
import { inOrganization } from '../support/world/fixtures.ts'
import { fieldOf, later } from '../support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../support/world/world.ts'

/*
 * docs/examples/rotate-key.sh, the very file, with a real sh and a real curl.
 */

const SCRIPT = join(ROOT, 'docs', 'examples', 'rotate-key.sh')
const NOBODY = 65_534 // an ordinary user: root may write anywhere

type Fate = 'forward' | 'lose the request' | 'lose the answer'

const it = inOrganization(startWorld).extend('machine', ({ world, acme, key }, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onCleanup(() => rmSync(folder, { recursive: true, force: true }))
  return machineIn(folder, world, acme, key)
})

/** A machine that keeps the key in a file. */
function machineIn(folder: string, world: World, acme: TestOrganization, key: TestKey) {
  const file = join(folder, 'portal-key')
  writeFileSync(file, `${key.secret}\n`, { mode: 0o600 })
  const stored = () => readFileSync(file, 'utf8').trim()

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

  const keys = async () =>
    fieldOf<{ data: { id: string; replacedBy: { id: string } | null }[] }>(
      await acme.call('{ apiKeys { data { id replacedBy { id } } } }'),
    ).data

  /** The file has a new key that works, the old one is in its overlap, and there is no third one. */
  async function expectRotated(): Promise<void> {
    expect(stored()).toMatch(/^emp_[0-9A-Za-z]{49}$/)
    expect(stored()).not.toBe(key.secret)
    expect([await world.accepts(stored()), await world.accepts(key.secret)]).toEqual([true, true])
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
    expect(await world.accepts(key.secret)).toBe(true)
    expect(existsSync(`${file}.lock`)).toBe(false)
  }

  return { folder, file, stored, run, keys, expectRotated, expectAsBefore }
}

/** A network in front of the portal that decides for each request what becomes of it. */
async function networkOf(world: World, fateOf: (body: string) => Fate): Promise<string> {
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

it('replaces its own key in the file, tests the new one, and prints neither', async ({ machine }) => {
  const { code, stdout, stderr } = await machine.run()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe('rotate-key: done.\n')
  await machine.expectRotated()
})

it('day by day: each run replaces the key of the run before, once the overlap is over', async ({
  world,
  ada,
  key,
  machine,
}) => {
  await machine.run()
  const first = machine.stored()
  await later(world, ada, HOUR)
  expect(await machine.run()).toMatchObject({ code: 0 })
  expect(machine.stored()).not.toBe(first)
  expect([await world.accepts(first), await world.accepts(machine.stored())]).toEqual([true, true])
  expect(await world.accepts(key.secret)).toBe(false)
})

it('a run before the end of the overlap changes nothing, and says so', async ({ machine }) => {
  await machine.run()
  const first = machine.stored()
  expect(await machine.run()).toEqual({ code: 0, stdout: expect.stringContaining('too early'), stderr: '' })
  expect(machine.stored()).toBe(first)
  await machine.expectRotated()
})

it.for<[string, Fate]>([
  ['the request is lost', 'lose the request'],
  ['the answer is lost, and the new secret with it', 'lose the answer'],
])(
  'if %s during the run, the old key stays, and the next run repairs it',
  async ([_words, fate], { world, machine }) => {
    const { code, stderr } = await machine.run({
      url: await networkOf(world, (body) => (isRotation(body) ? fate : 'forward')),
    })
    expect(code).toBe(1)
    expect(stderr).toContain('was left as it is.')
    await machine.expectAsBefore()

    expect(await machine.run()).toMatchObject({ code: 0 })
    await machine.expectRotated()
  },
)

it('if the run is killed in the middle, the next one repairs it', async ({ world, key, machine }) => {
  let running: ChildProcess | undefined
  const url = await networkOf(world, (body) => {
    if (isRotation(body)) running?.kill('SIGKILL')
    return 'forward'
  })
  await machine.run({ url }, (child) => {
    running = child
  })
  expect(running?.signalCode).toBe('SIGKILL')
  expect(machine.stored()).toBe(key.secret)
  expect(existsSync(`${machine.file}.lock`)).toBe(true)

  expect(await machine.run()).toMatchObject({ code: 0 })
  await machine.expectRotated()
})

it('if the network fails before the new key is tested, the next run tests and stores it', async ({
  world,
  machine,
}) => {
  let isRotated = false
  const fateOf = (body: string): Fate => {
    if (isRotated) return 'lose the answer'
    isRotated = isRotation(body)
    return 'forward'
  }
  expect(await machine.run({ url: await networkOf(world, fateOf) })).toMatchObject({ code: 1 })
  await machine.expectAsBefore()
  const waiting = readFileSync(`${machine.file}.new`, 'utf8').trim()
  expect(await machine.run({ url: await networkOf(world, () => 'lose the request') })).toMatchObject({ code: 1 })
  await machine.expectAsBefore()

  expect(await machine.run()).toMatchObject({ code: 0 })
  expect(machine.stored()).toBe(waiting)
  await machine.expectRotated()
})

it.skipIf(withoutFullDisk)('if the disk is full before the run, nothing is rotated', async ({ key, machine }) => {
  symlinkSync(FULL, `${machine.file}.new`)
  const { code, stderr } = await machine.run()
  expect(code).toBe(1)
  expect(stderr).toContain('There is no room for the new key.')
  await machine.expectAsBefore()
  expect((await machine.keys()).map(({ id }) => id)).toEqual([key.id])
})

it.skipIf(withoutFullDisk)(
  'if the disk fills up during the run, the next run repairs it',
  async ({ world, machine }) => {
    const url = await networkOf(world, (body) => {
      if (isRotation(body)) {
        rmSync(`${machine.file}.new`)
        symlinkSync(FULL, `${machine.file}.new`)
      }
      return 'forward'
    })
    expect(await machine.run({ url })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be stored'),
    })
    await machine.expectAsBefore()
    rmSync(`${machine.file}.new`)

    expect(await machine.run()).toMatchObject({ code: 0 })
    await machine.expectRotated()
  },
)

it('if the folder is not writable, nothing is rotated', async ({ key, machine }) => {
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [machine.folder, machine.file]) chownSync(path, NOBODY, NOBODY)
  chmodSync(machine.folder, 0o500)
  const { code, stderr } = await machine.run(isRoot ? { uid: NOBODY } : {})
  chmodSync(machine.folder, 0o700)
  expect(code).toBe(1)
  expect(stderr).toContain('The folder of the key cannot be written to.')
  await machine.expectAsBefore()
  expect((await machine.keys()).map(({ id }) => id)).toEqual([key.id])
})

it('if another machine has replaced the key and uses the new one, it changes nothing', async ({
  world,
  acme,
  key,
  machine,
}) => {
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { secret } }'
  const { secret } = fieldOf<{ secret: string }>(await acme.call(rotate, { id: key.id }))
  await world.accepts(secret) // the first use is written down at once

  expect(await machine.run()).toMatchObject({ code: 1, stderr: expect.stringContaining('in use elsewhere') })
  await machine.expectAsBefore()
  expect(await world.accepts(secret)).toBe(true)
})

it('does nothing while another run is active, and the lock of a killed run does not stop it', async ({
  key,
  machine,
}) => {
  writeFileSync(`${machine.file}.lock`, `${process.pid}\n`)
  expect(await machine.run()).toMatchObject({ code: 1, stderr: expect.stringContaining('Another run is at work.') })
  expect(machine.stored()).toBe(key.secret)

  writeFileSync(`${machine.file}.lock`, '4194304\n') // beyond the largest process id
  expect(await machine.run()).toMatchObject({ code: 0 })
  await machine.expectRotated()
})

it('a refused key stays in the file, with the message of the portal', async ({ acme, key, machine }) => {
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
  expect(await machine.run()).toMatchObject({ code: 1, stderr: expect.stringContaining('API_KEY_INVALID') })
  expect(machine.stored()).toBe(key.secret)
})
