import { once } from 'node:events'
import { type AddressInfo, connect, createServer, isIP } from 'node:net'
import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/fixtures.ts'
import { type Hostile, startHostileReceiver } from '../../test/support/hostile-receiver.ts'
import { startReceiver } from '../../test/support/webhook-receiver.ts'
import { startWebhookWorld } from '../../test/support/webhook-world.ts'
import { webhooksAs } from '../../test/support/webhooks.ts'
import { HOUR } from '../lib/clock.ts'
import { createDestinations, isPublic } from './destinations.ts'
import { createResolve } from './resolve.ts'
import { send } from './send.ts'

const it = inOrganization(() => startWebhookWorld({ worker: { bodyWithinMs: 50 } }))
  .extend('hooks', ({ acme }) => webhooksAs(acme.call))
  .extend('receiver', ({ world }) => {
    world.receiver.received.length = 0
    return world.receiver
  })
  .extend('outcome', ({ world, hooks, receiver }) => async (url = receiver.url, worker = world.worker) => {
    const { webhook } = await hooks.create({ url })
    await hooks.test(webhook.id)
    await worker.deliver()
    const [delivery] = await hooks.deliveries(webhook.id)
    return { state: delivery?.state, status: delivery?.responseStatus, error: delivery?.error }
  })

const allowed = createDestinations({ webhookNetworks: ['127.0.0.1/32'], baseUrl: undefined, port: 4000 })
const failed = (error: string, status: number | null = null) => ({ state: 'FAILED', status, error })

describe('a receiver', () => {
  it('that never answers is left at the time limit', async ({ world, outcome, receiver }) => {
    receiver.answerWith(() => {})
    const impatient = world.startWorker({ answerWithinMs: 300 })
    expect(await outcome(receiver.url, impatient)).toEqual(failed('There was no answer in time.'))
  })

  it('that changes the protocol has not answered', async ({ outcome, receiver }) => {
    receiver.answerWith((_received, response) => {
      response.writeHead(101, { connection: 'Upgrade', upgrade: 'x' }).flushHeaders()
    })
    expect(await outcome()).toMatchObject({ state: 'FAILED', status: null })
  })

  it('whose answer never ends has accepted, and is read no further', async ({ outcome, receiver }) => {
    let written = 0
    receiver.answerWith((_received, response) => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384
        if (!response.destroyed) response.once('drain', write)
      }
      write()
      return new Promise((resolve) => response.once('close', resolve))
    })
    expect(await outcome()).toEqual({ state: 'DELIVERED', status: 200, error: null })
    expect(written).toBeLessThan(8_000_000) // what fits between the two, and not a movie
  })

  it('whose answer drips has accepted', async ({ outcome, receiver }) => {
    receiver.answerWith((_received, response) => {
      response.writeHead(202).write('x')
    })
    expect(await outcome()).toEqual({ state: 'DELIVERED', status: 202, error: null })
  })

  it('whose answer drips is not waited for: its status is recorded at once, and the connection closed later', async ({
    receiver,
  }) => {
    const closed = Promise.withResolvers<void>()
    receiver.answerWith((_received, response) => {
      response.writeHead(200).write('x')
      response.once('close', closed.resolve)
    })
    const accepted = { status: 200, error: null, retryAfter: undefined }
    const sendWithin = (bodyWithinMs: number) =>
      send(
        { url: receiver.url, headers: {}, body: '{}' },
        { destinations: allowed, resolve: createResolve(), times: { bodyWithinMs } },
      )
    expect(await sendWithin(HOUR)).toEqual(accepted) // and not after an hour
    expect(await sendWithin(1)).toEqual(accepted)
    await closed.promise
  })

  it('with huge headers is refused', async ({ outcome, receiver }) => {
    receiver.answerWith((_received, response) => response.writeHead(200, { 'x-huge': 'x'.repeat(20_000) }).end())
    expect(await outcome()).toEqual(failed('The headers of the answer are too large.'))
  })

  it('that speaks no HTTP is refused', async ({ outcome, receiver }) => {
    receiver.answerWith((_received, response) => response.socket?.end('SSH-2.0-OpenSSH\r\n\r\n'))
    expect(await outcome()).toEqual(failed('The answer is not valid HTTP.'))
  })

  it('may send five interim answers before its status, and no more', async ({ outcome, receiver }) => {
    const hints = (times: number) =>
      receiver.answerWith((_received, response) => {
        for (let i = 0; i < times; i++) response.writeEarlyHints({ link: '</a>; rel=preload' })
        response.writeHead(204).end()
      })
    hints(5)
    expect(await outcome()).toEqual({ state: 'DELIVERED', status: 204, error: null })
    hints(6)
    expect(await outcome()).toEqual(failed('There were too many interim answers.'))
  })

  it('that hangs up is refused; after its status, that counts', async ({ outcome, receiver }) => {
    receiver.answerWith((_received, response) => response.socket?.destroy())
    expect(await outcome()).toEqual(failed('The connection was closed before there was an answer.'))
    receiver.answerWith((_received, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('x', () => response.socket?.resetAndDestroy())
    })
    expect(await outcome()).toEqual({ state: 'DELIVERED', status: 200, error: null })
  })

  it('that is not there is refused', async ({ outcome }) => {
    const gone = await startReceiver()
    await gone.close()
    expect(await outcome(gone.url)).toEqual(failed('The connection was refused.'))
    expect(await outcome('https://no-such-name.invalid/')).toMatchObject({ state: 'FAILED', status: null })
  })

  it('that redirects is not followed', async ({ outcome, receiver }) => {
    const inside = await startReceiver()
    for (const status of [301, 302, 307, 308]) {
      receiver.answerWith((_received, response) => response.writeHead(status, { location: inside.url }).end())
      expect((await outcome()).error).toBe(
        `The receiver answered with the status ${status}, a redirect, which is not followed: give the URL that it leads to.`,
      )
    }
    expect(inside.received).toEqual([])
    await inside.close()
  })
})

/** In four seconds, where a receiver that is not hung up on uses all that the machine has. */
const MAX_CPU_MS = 200

const INTERIM = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = `HTTP/1.1 103 Early Hints\r\nlink: <${'a'.repeat(1_000)}>\r\n\r\n`
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

const ENDLESS: [string, Hostile][] = [
  ['interim answers', { again: INTERIM.repeat(1_000) }],
  ['interim answers, each in a packet', { again: INTERIM, isSlow: true }],
  ['interim answers of 103 with headers', { again: HINTS.repeat(100) }],
  ['interim answers of 199', { again: 'HTTP/1.1 199 X\r\n\r\n'.repeat(1_000) }],
  ['blank lines before the status', { again: '\r\n'.repeat(5_000) }],
  ['blank lines after an interim answer', { first: INTERIM, again: '\r\n'.repeat(5_000) }],
  ['a status line', { first: 'HTTP/1.1 200 ', again: 'OK'.repeat(5_000) }],
  ['headers', { first: 'HTTP/1.1 200 OK\r\n', again: 'a: b\r\n'.repeat(2_000) }],
  ['headers without values', { first: 'HTTP/1.1 200 OK\r\n', again: 'a:\r\n'.repeat(2_000) }],
  ['one header', { first: 'HTTP/1.1 200 OK\r\na: ', again: 'b'.repeat(10_000) }],
  ['blanks before the value of a header', { first: 'HTTP/1.1 200 OK\r\na:', again: ' '.repeat(10_000) }],
  ['headers, a byte in a packet', { first: 'HTTP/1.1 200 OK\r\na: ', again: 'b', isSlow: true }],
  ['blank lines, one in a packet', { again: '\r\n', isSlow: true }],
  ['a body', { first: 'HTTP/1.1 200 OK\r\n\r\n', again: 'x'.repeat(10_000) }],
  ['a body, a byte in a packet', { first: 'HTTP/1.1 200 OK\r\n\r\n', again: 'x', isSlow: true }],
  ['tiny chunks', { first: CHUNKED, again: '1\r\nx\r\n'.repeat(2_000) }],
  ['tiny chunks, one in a packet', { first: CHUNKED, again: '1\r\nx\r\n', isSlow: true }],
  ['extensions of chunks', { first: CHUNKED, again: `1;a=${'b'.repeat(1_000)}\r\nx\r\n`.repeat(10) }],
  ['an extension of a chunk', { first: `${CHUNKED}1;a=`, again: 'b'.repeat(10_000) }],
  ['zeros before the size of a chunk', { first: CHUNKED, again: '0'.repeat(10_000) }],
  ['trailers', { first: `${CHUNKED}0\r\n`, again: 'a: b\r\n'.repeat(2_000) }],
  ['more after the end of the answer', { first: 'HTTP/1.1 204 No Content\r\n\r\n', again: CHUNKED.repeat(100) }],
  [
    'a change of protocols',
    { first: 'HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', again: 'x'.repeat(10_000) },
  ],
  ['a redirect whose body has no end', { first: 'HTTP/1.1 307 X\r\nlocation: /\r\n\r\n', again: 'x'.repeat(10_000) }],
  ['what is no HTTP', { again: 'x'.repeat(10_000) }],
]

describe('P12: a receiver that sends without end', () => {
  it.for(ENDLESS)('%s costs little', async ([_title, hostile], { onTestFinished }) => {
    const receiver = await startHostileReceiver(hostile)
    onTestFinished(() => void receiver.stop())
    const times = { answerWithinMs: 3_000, bodyWithinMs: 1_000 }
    const before = process.threadCpuUsage()
    await send(
      { url: receiver.url, headers: {}, body: '{}' },
      { destinations: allowed, resolve: createResolve(), times },
    )
    await receiver.closed
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS)
  })
})

describe('an address', () => {
  const nothingAllowed = createDestinations({ webhookNetworks: [], baseUrl: undefined, port: 4000 })
  const REFUSED = 'The URL leads to a private or reserved address.'
  const message = (url: string) => ({ url, headers: {}, body: '{}' })

  it('that a name leads to is judged where it is connected to', async ({ receiver }) => {
    const resolve = createResolve()
    const url = `http://localhost:${receiver.port}/`
    expect((await send(message(url), { destinations: nothingAllowed, resolve })).error).toContain(REFUSED)
    const rebinding = async () => ['127.0.0.1', '::1', '169.254.169.254']
    const sent = await send(message(`http://hooks.example:${receiver.port}/`), {
      destinations: nothingAllowed,
      resolve: rebinding,
    })
    expect(sent).toEqual({ status: null, error: expect.stringContaining(REFUSED) })
    expect(receiver.received).toEqual([])
  })

  it('that is not allowed gets no connection from a name', async () => {
    let connections = 0
    const server = createServer(() => connections++).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const resolve = async () => ['127.0.0.1']
    await send(message(`http://hooks.example:${port}/`), { destinations: nothingAllowed, resolve })
    const own = connect(port, '127.0.0.1')
    await once(server, 'connection') // accepted after whatever came before it
    own.destroy()
    server.close()
    expect(connections).toBe(1)
  })

  it('that is not allowed gets nothing, whatever has led to the connection', async ({ receiver }) => {
    const destinations = { ...nothingAllowed, refusalOf: () => undefined }
    const sent = await send(message(receiver.url), { destinations, resolve: createResolve() }) // no name to look up
    expect(sent).toEqual({ status: null, error: expect.stringContaining(REFUSED) })
    expect(receiver.received).toEqual([])
  })

  it('is looked up once, so that it cannot change in between', async ({ receiver }) => {
    receiver.answerStatus(200)
    let lookups = 0
    const resolve = async () => (++lookups === 1 ? ['127.0.0.1'] : ['127.0.0.2'])
    const { status } = await send(message(`http://hooks.example:${receiver.port}/`), { destinations: allowed, resolve })
    expect([status, lookups]).toEqual([200, 1])
  })

  it('is among the first four of its family, or not tried', async () => {
    const gone = await startReceiver()
    await gone.close()
    const judged: string[] = []
    const destinations = {
      refusalOf: () => undefined,
      allows: (address: string) => judged.push(address) > 0,
    }
    const resolve = async () => Array.from({ length: 4_000 }, (_, i) => `127.0.${i >> 8}.${i & 255}`)
    const before = process.threadCpuUsage()
    const { error } = await send(message(`http://hooks.example:${gone.port}/`), { destinations, resolve })
    const { user, system } = process.threadCpuUsage(before)
    expect(error).toBe('The connection was refused.')
    expect(judged).toEqual(['127.0.0.0', '127.0.0.1', '127.0.0.2', '127.0.0.3'])
    expect((user + system) / 1_000).toBeLessThan(100)
  })

  it('among thousands of private ones is found to be private at once', async () => {
    const resolve = async () =>
      Array.from({ length: 6_000 }, (_, i) => (i % 2 ? `10.0.${i >> 8}.${i & 255}` : `fd00::${i}`))
    const before = process.threadCpuUsage()
    const { error } = await send(message('http://hooks.example/'), { destinations: nothingAllowed, resolve })
    const { user, system } = process.threadCpuUsage(before)
    expect(error).toContain(REFUSED)
    expect((user + system) / 1_000).toBeLessThan(100)
  })

  it('of the portal itself is refused, also where its network is allowed', async ({ world, acme }) => {
    const create = 'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }'
    const input = { url: `${world.url}/graphql`, events: ['DEVICE_CREATED'] }
    expect((await acme.call(create, { input })).errors).toMatchObject([{ code: 'BAD_USER_INPUT' }])
    const name = { url: `http://localhost:${world.config.port}/`, headers: {}, body: '{}' }
    const destinations = createDestinations(world.config)
    expect((await send(name, { destinations, resolve: createResolve() })).error).toContain(REFUSED)
  })

  it.for([
    ['https://portal.example.com', 'https://portal.example.com:4000/', true],
    ['https://portal.example.com', 'http://portal.example.com./', true],
    ['https://portal.example.com:8443', 'https://portal.example.com:8443/', true],
    ['https://portal.example.com', 'https://portal.example.com:8443/', false],
    ['https://93.184.216.34:8443', 'https://[::ffff:93.184.216.34]:8443/', true],
    ['https://93.184.216.34', 'http://93.184.216.34:4000/', true],
    ['https://[2606:4700::1]', 'https://[2606:4700:0:0::1]/', true],
    ['https://93.184.216.34', 'https://93.184.216.35/', false],
  ] as const)('with BASE_URL=%s, %s is the portal itself: %s', ([baseUrl, url, isPortal]) => {
    const { refusalOf, allows } = createDestinations({ webhookNetworks: [], baseUrl: new URL(baseUrl), port: 4000 })
    expect(refusalOf(new URL(url))).toBe(isPortal ? 'this is the portal itself.' : undefined)
    const { hostname, port } = new URL(url)
    const address = hostname.replace(/^\[|\]$/g, '')
    if (isIP(address)) expect(allows(address, Number(port) || 443)).toBe(!isPortal) // where a name leads to it
  })

  it.for([
    ['8.8.8.8', true],
    ['2606:4700:4700::1111', true],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['10.0.0.1', false],
    ['172.31.255.255', false],
    ['192.168.0.1', false],
    ['169.254.169.254', false],
    ['100.64.0.1', false],
    ['100.100.100.200', false],
    ['168.63.129.16', false],
    ['192.0.0.192', false],
    ['198.18.0.1', false],
    ['224.0.0.1', false],
    ['240.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['::127.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::ffff:8.8.8.8', true],
    ['::ffff:0:7f00:1', false],
    ['64:ff9b::a00:1', false],
    ['64:ff9b:1::1', false],
    ['2002:7f00:1::', false],
    ['2001::1', false],
    ['2001:db8::1', false],
    ['fc00::1', false],
    ['fd00:ec2::254', false],
    ['fe80::1', false],
    ['fec0::1', false],
    ['ff02::1', false],
    ['hooks.example', false],
  ] as const)('%s is public: %s', ([address, expected]) => {
    expect(isPublic(address)).toBe(expected)
  })
})
