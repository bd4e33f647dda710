import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { SECOND } from '../../lib/clock.ts'
import type { PostgresAddress, PostgresHost } from '../../lib/postgres-address.ts'
import { within } from '../../lib/within.ts'

const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const KEEP_ALIVE_AFTER_MS = 10 * SECOND

/** A connection to one host, encrypted as the address says, before the PostgreSQL protocol begins. */
export async function dial(address: PostgresAddress, to: PostgresHost): Promise<Socket> {
  const isFolder = to.host.startsWith('/')
  const socket = isFolder ? connect(join(to.host, `.s.PGSQL.${to.port}`)) : connect(to.port, to.host)
  const way = isFolder ? ({ ...address, tls: 'disable' } as const) : address
  try {
    return await within(address.connectTimeoutMs, Promise.race([ready(socket, way, to), closed(socket)]), timedOut)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** A proxy without a server behind it accepts the connection, and then closes it without sending anything. */
async function closed(socket: Socket): Promise<never> {
  await once(socket, 'close')
  throw Object.assign(new Error('hung up'), { code: 'ECONNRESET' })
}

async function ready(socket: Socket, address: PostgresAddress, { host }: PostgresHost): Promise<Socket> {
  await once(socket, 'connect')
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_AFTER_MS)
  if (address.tls === 'disable') return socket
  socket.write(SSL_REQUEST)
  const [answer] = (await once(socket, 'data')) as [Buffer] // a single byte, S or N
  if (answer.toString() === 'S') return encrypted(socket, address, host)
  if (address.tls === 'prefer') return socket
  throw Object.assign(new Error('the server does not speak TLS'), { code: 'NO_TLS' })
}

async function encrypted(socket: Socket, { tls, rootCertificates }: PostgresAddress, host: string): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host, // checked against the certificate if there is no name
    ...(isIP(host) === 0 && { servername: host }),
    ...(rootCertificates !== undefined && { ca: readFileSync(rootCertificates) }),
    rejectUnauthorized: tls === 'verify-ca' || tls === 'verify-full',
    ...(tls === 'verify-ca' && { checkServerIdentity: () => undefined }),
  })
  await once(secure, 'secureConnect')
  return secure
}

const timedOut = () => Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
