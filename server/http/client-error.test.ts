import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createNonHttpRefusal } from './client-error.ts'

const refusal = createNonHttpRefusal(createLog('silent'), {}, () => 'r-1')

/** A server that finds connections too slow after 100 ms. */
async function impatientServer(requests: RequestListener) {
  const server = createServer({ headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 }, requests)
  await once(server.on('clientError', refusal).listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1') // it listens on a port
  const [connection]: Socket[] = await once(server, 'connection')
  return { socket, connection, answer: text(socket) }
}

const standStill = (milliseconds: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)

describe('a request is too slow', () => {
  it('when it does not arrive', async () => {
    const { socket, answer } = await impatientServer((_request, response) => response.end('served'))
    socket.write('GET / HTTP/1.1\r\n')
    expect(await answer).toMatch(/^HTTP\/1.1 408 /)
  })

  it('but not when it had arrived, and the process stood still', async () => {
    const { socket, answer } = await impatientServer((_request, response) => response.end('served'))
    socket.write('GET / HTTP/1.1\r\nhost: portal\r\nconnection: close\r\n\r\n')
    standStill(300)
    expect(await answer).toMatch(/^HTTP\/1.1 200 .*served$/s)
  })

  it('when only a part of it had arrived', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { socket, connection, answer } = await impatientServer((_request, response) => response.end('served'))
    socket.write('GET / HTTP/1.1\r\n')
    standStill(300)
    await expect.poll(() => connection?.bytesRead).toBeGreaterThan(0)
    await vi.advanceTimersByTimeAsync(10 * SECOND)
    expect(await answer).toMatch(/^HTTP\/1.1 408 /)
  })
})

it('what is no HTTP is logged once a second, with how many others there were', async () => {
  let now = 0
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const server = createServer().on(
    'clientError',
    createNonHttpRefusal(
      log,
      {},
      () => 'r-1',
      () => now,
    ),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on a port
  const send = () => once(connect(port, '127.0.0.1').end('nonsense\r\n\r\n').resume(), 'close')

  await Promise.all(Array.from({ length: 50 }, send))
  now = SECOND - 1
  await send()
  expect(lines).toHaveLength(1)
  now = SECOND
  await send()
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ status: 400, reason: 'HPE_INVALID_METHOD', others: 50 })
})
