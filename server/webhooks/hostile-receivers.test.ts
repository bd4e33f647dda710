import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { type Hostile, startHostileReceiver } from '../../test/support/world/hostile-receiver.ts'
import { startReceiver } from '../../test/support/world/webhook-receiver.ts'
import { startWebhookWorld } from '../../test/support/world/webhook-world.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { HOUR } from '../lib/clock.ts'
import { createDestinations } from './destinations.ts'
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
    expect(await sendWithin(HOUR)).toEqual(accepted) // at once, not after an hour
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
