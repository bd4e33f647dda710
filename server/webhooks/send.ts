import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction, Socket } from 'node:net'
import { connect as connectTls, DEFAULT_CIPHERS } from 'node:tls'
import { SECOND } from '../lib/clock.ts'
import { type Destinations, portOf } from './destinations.ts'
import type { Resolve } from './resolve.ts'
import { AddressRefused, AnswerTooLong, inWords, NOT_FOLLOWED } from './send-errors.ts'

export const SEND_TIMES = { answerWithinMs: 15 * SECOND, bodyWithinMs: SECOND }
/** Bytes before the body: interim answers, the status and its headers. */
const MAX_HEADER_BYTES = 16 * 1024
const MAX_BODY_BYTES = 16 * 1024
/** Bytes of the handshake and whatever else TLS sends beside the answer. Certificates have some thousand. */
const MAX_TLS_BYTES = 32 * 1024
/** Without DHE: one calculation in a group that the receiver chooses, of 10,000 bits, takes a second. */
const TLS = { ciphers: `${DEFAULT_CIPHERS}:!DHE`, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true }
/** Answers like 103 (Early Hints), which a status follows. */
const MAX_INTERIM_ANSWERS = 5
/** Addresses of each family. A name may have thousands: each is judged, and tried if the one before cannot be reached. */
const MAX_ADDRESSES = 4
/** Connections whose answer is known and whose body is still read. Beyond that they are closed at the status. */
const MAX_BODIES = 64

export interface Sent {
  /** The status of the answer; null: there was none. */
  status: number | null
  error: string | null
  /** When the receiver wants to be asked again, as it has written it. */
  retryAfter?: string | undefined
}

export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

interface Dependencies {
  destinations: Destinations
  resolve: Resolve
  times?: Partial<typeof SEND_TIMES>
}

/** Sends one request to what its name leads to now, judged at the connection. No redirects, no proxies, no body. */
export async function send({ url: text, headers, body }: Message, dependencies: Dependencies): Promise<Sent> {
  const url = new URL(text)
  const refusal = dependencies.destinations.refusalOf(url) // the operator may allow less than when it was created
  if (refusal !== undefined) return { status: null, error: inWords(new AddressRefused()) }
  try {
    const answer = await answerTo(url, { headers, body }, dependencies)
    const status = answer.statusCode ?? 0
    return { status, error: errorOf(status), retryAfter: answer.headers['retry-after'] }
  } catch (error) {
    return { status: null, error: inWords(error) }
  }
}

function errorOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? NOT_FOLLOWED(status) : `The receiver answered with the status ${status}.`
}

/** The answer, as soon as its status and headers are there. */
function answerTo(
  url: URL,
  { headers, body }: Omit<Message, 'url'>,
  dependencies: Dependencies,
): Promise<IncomingMessage> {
  const { answerWithinMs, bodyWithinMs } = { ...SEND_TIMES, ...dependencies.times }
  const signal = AbortSignal.timeout(answerWithinMs)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const connection = new Socket()
  const request = (isSecure(url) ? requestHttps : requestHttp)(url, {
    method: 'POST',
    createConnection: () => connect(connection, url, dependencies), // without an agent, and so without a proxy
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    maxHeaderSize: MAX_HEADER_BYTES,
    signal,
  })
  request.on('socket', () => {
    limitAnswer(request, connection, isSecure(url), (tooLong) => {
      reject(tooLong)
      connection.destroy(tooLong)
    })
  })
  request.on('response', (answer) => {
    drop(answer, bodyWithinMs)
    resolve(answer)
  })
  request.on('error', (error) => reject(signal.aborted ? signal.reason : error))
  request.on('close', () => reject(new Error('closed without an answer'))) // as by a change of protocols, which is no error
  request.end(body)
  return promise
}

const isSecure = ({ protocol }: URL) => protocol === 'https:'

function connect(connection: Socket, url: URL, dependencies: Dependencies): Socket {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  connection.on('connect', () => requireAllowed(connection, url, dependencies.destinations)) // before TLS says its first word
  const socket = isSecure(url) ? secured(connection, host) : connection
  connection.setNoDelay().connect({ host, port: portOf(url), lookup: lookupOf(url, dependencies) })
  return socket
}

/** TLS on a connection that is not made yet: so what arrives comes by here, and is counted before TLS reads it. */
function secured(connection: Socket, host: string): Socket {
  let bytes = 0
  const count = ({ length }: Buffer) => {
    bytes += length
    if (bytes > MAX_TLS_BYTES) connection.destroy(new AnswerTooLong())
  }
  connection.on('data', count)
  const socket = connectTls({ ...TLS, socket: connection, host, servername: isIP(host) ? '' : host })
  return socket.once('secureConnect', () => connection.off('data', count))
}

/** The only lookup of the name: a connection is made to what it returns, and to nothing else. */
const lookupOf =
  (url: URL, { resolve, destinations }: Dependencies): LookupFunction =>
  (host, { all }, done) => {
    resolve(host).then(
      (addresses) => {
        const allowed = [...Map.groupBy(addresses, isIP).values()]
          .flatMap((ofFamily) => ofFamily.slice(0, MAX_ADDRESSES))
          .filter((address) => destinations.allows(address, portOf(url)))
          .map((address) => ({ address, family: isIP(address) }))
        const [first] = allowed
        if (!first) done(new AddressRefused(), '', 0)
        else if (all) done(null, allowed)
        else done(null, first.address, first.family)
      },
      (error) => done(error, '', 0),
    )
  }

/** Once more at the connection itself, whatever has led to it. */
function requireAllowed(socket: Socket, url: URL, destinations: Destinations): void {
  const { remoteAddress } = socket
  if (remoteAddress !== undefined && destinations.allows(remoteAddress, portOf(url))) return
  socket.destroy(new AddressRefused())
}

/** Calls `hangUp` when a receiver has sent too much, counted before TLS and the parser: tickets, blank lines, zeros. */
function limitAnswer(
  request: ClientRequest,
  connection: Socket,
  isEncrypted: boolean,
  hangUp: (tooLong: Error) => void,
): void {
  let interim = 0
  let bytes = 0
  let most = MAX_HEADER_BYTES + (isEncrypted ? MAX_TLS_BYTES : 0)
  request.on('information', () => {
    if (++interim > MAX_INTERIM_ANSWERS) hangUp(new AnswerTooLong('There were too many interim answers.'))
  })
  request.on('response', () => {
    most += MAX_BODY_BYTES
  })
  connection.on('data', ({ length }: Buffer) => {
    bytes += length
    if (bytes > most) hangUp(new AnswerTooLong())
  })
}

let bodies = 0

/** Reads the body for a while, so that a receiver can finish; then the connection is closed. Nobody waits for it. */
function drop(answer: IncomingMessage, withinMs: number): void {
  answer.on('error', () => {}) // the status is known
  if (bodies >= MAX_BODIES) {
    answer.destroy()
    return
  }
  bodies++
  const timer = setTimeout(() => answer.destroy(), withinMs)
  answer.resume()
  answer.on('close', () => {
    clearTimeout(timer)
    bodies--
  })
}
