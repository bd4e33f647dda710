import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { describeOnOwnValkey, startValkey } from '../../test/support/process/valkey-server.ts'
import { SECOND } from './clock.ts'
import { createLog } from './log.ts'
import { connectValkey, type Valkey, type ValkeyTimeouts } from './valkey.ts'

const PASSWORD = 'hunter2hunter2'
const AT_ONCE = 'Valkey is away'
const PATIENT = { answerMs: 10 * SECOND, connectMs: 10 * SECOND, tryAgainAfterMs: 50 }

let lines: { level: string; msg: string; reason?: string }[] = []
let valkey: Valkey | undefined
afterEach(() => {
  valkey?.close()
  valkey = undefined
  lines = []
})

async function connect(url: string, timeouts: Partial<ValkeyTimeouts> = PATIENT): Promise<Valkey> {
  const log = createLog('debug', { write: (line: string) => lines.push(JSON.parse(line)) })
  valkey = await connectValkey(new URL(url), log, timeouts)
  return valkey
}

async function server(options: Parameters<typeof startValkey>[0] = {}) {
  const started = await startValkey(options)
  onTestFinished(started.close)
  return started
}

const stall = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const increment = (on: Valkey) =>
  on.eval("return redis.call('incr', KEYS[1])", { keys: ['portal:test'], arguments: [] })

const isShared = () => expect.poll(() => lines.at(-1)?.msg, { timeout: 5000 }).toBe('Valkey answers: limits are shared')

describeOnOwnValkey('a connection to Valkey', () => {
  it('sends concurrent calls together, and each gets its own answer', async () => {
    const on = await connect((await server()).url)
    const answers = await Promise.all(Array.from({ length: 100 }, () => increment(on)))
    expect(answers).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
  })

  it('rejects at once after the server was killed, and recovers by itself', async () => {
    const its = await server()
    const on = await connect(its.url)
    expect(await increment(on)).toBe(1)
    await its.kill()

    await expect(increment(on)).rejects.toThrow()
    await expect(increment(on)).rejects.toThrow(AT_ONCE)
    await its.start()
    await isShared()
    expect(await increment(on)).toBe(1)
  })

  it('during a stall, only calls in progress wait, together', async () => {
    const its = await server()
    const on = await connect(its.url, { ...PATIENT, answerMs: 500 })
    its.send('SIGSTOP')
    const first = await Promise.allSettled(Array.from({ length: 50 }, () => increment(on)))
    expect(first[0]).toMatchObject({ reason: new Error('no answer within 500 ms') })
    expect(first.map(({ status }) => status)).toEqual(Array(50).fill('rejected'))

    for (let i = 0; i < 5; i++) {
      await expect(increment(on)).rejects.toThrow(AT_ONCE)
      await setTimeout(100) // into which more tries to connect fall
    }
    expect(lines.filter(({ level }) => level === 'warn')).toMatchObject([{ reason: 'no answer within 500 ms' }])

    its.send('SIGCONT')
    await isShared()
    expect(await increment(on)).toBeGreaterThan(0)
    const connections = async () =>
      String(await its.ask('CLIENT', 'LIST'))
        .trim()
        .split('\n').length
    await expect.poll(connections).toBe(2) // this one, and that of the question
  })

  it('does not blame the server for a stall of this process, before sending or before reading', async () => {
    const its = await server()
    const on = await connect(its.url, { ...PATIENT, answerMs: 500 })
    const first = increment(on)
    stall(600)
    expect(await first).toBe(1)

    its.send('SIGSTOP')
    const second = increment(on)
    await setTimeout(250) // half of its time, set after that: the second half has just begun, however slow the machine
    await setImmediate() // after which timers are next, and reading comes after them
    its.send('SIGCONT')
    stall(600)
    expect(await second).toBe(2)
  })

  it('continues without the server when the password is wrong, and does not log it', async () => {
    const its = await server({ password: PASSWORD })
    const on = await connect(its.url.replace(PASSWORD, 'not-the-password'))
    await expect(increment(on)).rejects.toThrow(AT_ONCE)
    expect(lines).toMatchObject([{ level: 'warn', reason: 'WRONGPASS' }])
    expect(JSON.stringify(lines)).not.toContain('not-the-password')

    await its.ask('CONFIG', 'SET', 'requirepass', 'not-the-password')
    await isShared()
    expect(await increment(on)).toBe(1)
  })

  it('refuses a server that does not accept writes', async () => {
    const its = await server()
    await its.ask('REPLICAOF', '127.0.0.1', '1')
    await connect(its.url)
    expect(lines).toMatchObject([{ level: 'warn', reason: 'READONLY' }])
    await its.ask('REPLICAOF', 'NO', 'ONE')
    await isShared()
  })
})

/** Takes connections and says nothing. */
async function silentServer() {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const address = silent.address()
  return { silent, url: `redis://127.0.0.1:${typeof address === 'object' && address?.port}` }
}

it('starts also when nothing answers, or nothing listens', async () => {
  const { url } = await silentServer()
  await connect(url, { ...PATIENT, connectMs: 50 })
  expect(lines).toMatchObject([{ level: 'warn', reason: 'no answer within 50 ms' }])
  valkey?.close()

  lines = []
  await connect('redis://127.0.0.1:1')
  expect(lines).toMatchObject([{ level: 'warn', reason: 'ECONNREFUSED' }])
})

it('closes at once while connecting', async () => {
  const { silent, url } = await silentServer()
  const on = await connect(url, { ...PATIENT, connectMs: 100 })
  const [socket]: Socket[] = await once(silent, 'connection') // the second try
  const ended = once(socket?.resume() ?? silent, 'close')
  on.close()
  await ended
  expect(lines).toHaveLength(1)
})
