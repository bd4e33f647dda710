import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { type PostgresAddress, readPostgresAddress } from '../../lib/postgres-address.ts'
import { dial } from './socket.ts'

/** Somebody on a loopback port who does this with whoever connects. */
async function somebodyWho(does: (socket: Socket) => void, parameters = '') {
  const server = createServer(does).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // it listens on TCP, and so has a port
  const address = readPostgresAddress(`postgres://a:b@127.0.0.1:${port}/c${parameters}`) as PostgresAddress
  return { address, host: { host: '127.0.0.1', port } }
}

async function refusal({ address, host }: Awaited<ReturnType<typeof somebodyWho>>) {
  return dial(address, host).then(
    (socket) => socket.destroy() && 'connected',
    (error) => error.code,
  )
}

it('fails at once when the server closes the connection without sending anything', async () => {
  expect(await refusal(await somebodyWho((socket) => socket.end()))).toBe('ECONNRESET')
})

it('waits until the timeout for a server that sends nothing', async () => {
  const { address, host } = await somebodyWho(() => {})
  expect(await refusal({ address: { ...address, connectTimeoutMs: 20 }, host })).toBe('ETIMEDOUT')
})

it('continues without TLS if it is only preferred, and refuses if it is required', async () => {
  const plain = (socket: Socket) => socket.once('data', () => socket.write('N'))
  expect(await refusal(await somebodyWho(plain))).toBe('connected')
  expect(await refusal(await somebodyWho(plain, '?sslmode=require'))).toBe('NO_TLS')
})
