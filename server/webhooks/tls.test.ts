import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startHostileTls } from '../../test/support/world/hostile-receiver.ts'
import { createDestinations } from './destinations.ts'
import { send } from './send.ts'

const TLS = join(import.meta.dirname, '../../test/support/tls/localhost')
const key = readFileSync(`${TLS}.key`, 'utf8')
const cert = readFileSync(`${TLS}.crt`, 'utf8')

const trusted = getCACertificates('default')
beforeEach(() => setDefaultCACertificates([cert]))
afterEach(() => setDefaultCACertificates(trusted))

const allowed = createDestinations({ webhookNetworks: ['127.0.0.1/32'], baseUrl: undefined, port: 4000 })

const attempt = (url: string, destinations = allowed) =>
  send(
    { url, headers: {}, body: '{}' },
    {
      destinations,
      resolve: async () => ['127.0.0.1'],
      times: { answerWithinMs: 10_000 },
    },
  )

async function portOf(server: Server): Promise<number> {
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port // it listens on a port
}

it('a receiver needs a certificate that is trusted, for its own name', async () => {
  const port = await portOf(createHttpsServer({ key, cert }, (_request, response) => response.writeHead(204).end()))
  const invalid = (code: string) => `The certificate or the TLS connection is not valid (${code}).`
  expect(await attempt(`https://localhost:${port}/`)).toMatchObject({ status: 204, error: null })
  expect((await attempt(`https://other.example:${port}/`)).error).toBe(invalid('ERR_TLS_CERT_ALTNAME_INVALID'))
  setDefaultCACertificates(trusted)
  expect((await attempt(`https://localhost:${port}/`)).error).toBe(invalid('DEPTH_ZERO_SELF_SIGNED_CERT'))
})

it('a receiver without TLS at its port is told so', async () => {
  const port = await portOf(createServer((socket) => socket.once('data', () => socket.end('HTTP/1.1 204 X\r\n\r\n'))))
  expect((await attempt(`https://localhost:${port}/`)).error).toContain('No TLS connection could be made')
})

it('a receiver at an address that is not allowed gets nothing, whatever has led to the connection', async () => {
  const closed = Promise.withResolvers<number>()
  const port = await portOf(
    createServer((socket) => socket.resume().on('close', () => closed.resolve(socket.bytesRead))),
  )
  const destinations = { allows: () => false, refusalOf: () => undefined }
  expect((await attempt(`https://127.0.0.1:${port}/`, destinations)).error).toContain('private or reserved')
  expect(await closed.promise).toBe(0)
})

it('a receiver does not choose a group for the exchange of keys, which could take as long as it likes', async () => {
  const hello = Promise.withResolvers<Buffer>()
  const port = await portOf(createServer((socket) => socket.once('data', hello.resolve).end()))
  void attempt(`https://localhost:${port}/`)
  const sent = await hello.promise
  const at = 44 + (sent[43] ?? 0) // behind the id of the session
  const ciphers = sent.toString('hex', at + 2, at + 2 + sent.readUInt16BE(at)).match(/..../g)
  expect(ciphers).toContain('c02f') // ECDHE-RSA-AES128-GCM-SHA256
  for (const dhe of ['0033', '0039', '0067', '006b', '009e', '009f', 'ccaa']) expect(ciphers).not.toContain(dhe)
})

describe('P12: a receiver that sends without end', () => {
  it.for(['tickets', 'new keys', 'renegotiation', 'certificates'])('%s costs little, and is told', async (kind) => {
    const receiver = await startHostileTls(kind)
    onTestFinished(() => void receiver.stop())
    const before = process.threadCpuUsage()
    const { error } = await attempt(receiver.url)
    await receiver.closed
    const { user, system } = process.threadCpuUsage(before)
    expect(error).toBe('Too much was sent before the body of the answer: certificates, headers and the like.')
    expect((user + system) / 1_000).toBeLessThan(200)
  })
})
