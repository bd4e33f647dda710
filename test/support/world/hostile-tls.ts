import {
  createCipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  sign,
  X509Certificate,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * A receiver on a thread of its own that sends with TLS, without end, what the servers of libraries do not. Of TLS 1.3
 * (RFC 8446) it knows what our client offers: X25519, AES-128-GCM, a certificate with ECDSA.
 */
const key = readFileSync(new URL('../tls/localhost.key', import.meta.url))
const cert = readFileSync(new URL('../tls/localhost.crt', import.meta.url))

const NONE = Buffer.alloc(0)
const ZEROS = Buffer.alloc(32)
const HANDSHAKE = 22
const DATA = 23
const X25519 = 29
const X25519_KEY = Buffer.from('302a300506032b656e032100', 'hex') // what DER has before its 32 bytes

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

/** All parts, behind their length in so many bytes. */
const sized = (bytes: number, ...parts: Buffer[]): Buffer => {
  const all = Buffer.concat(parts)
  return Buffer.concat([number(all.length, bytes), all])
}
const message = (type: number, ...parts: Buffer[]) => Buffer.concat([number(type, 1), sized(3, ...parts)])

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest()
const hmac = (secret: Buffer, data: Buffer) => createHmac('sha256', secret).update(data).digest()
const derive = (secret: Buffer, label: string, context = NONE, bytes = 32) => {
  const info = [number(bytes, 2), sized(1, Buffer.from(`tls13 ${label}`)), sized(1, context), number(1, 1)]
  return hmac(secret, Buffer.concat(info)).subarray(0, bytes)
}

/** Makes encrypted records, one after the other. */
function createRecords(secret: Buffer) {
  const aesKey = derive(secret, 'key', NONE, 16)
  const iv = derive(secret, 'iv', NONE, 12)
  let count = 0
  return (content: Buffer): Buffer => {
    const head = Buffer.concat([number(DATA, 1), number(0x303, 2), number(content.length + 17, 2)])
    const sequence = Buffer.concat([number(0, 6), number(count++, 6)])
    const nonce = iv.map((byte, i) => byte ^ (sequence[i] ?? 0))
    const cipher = createCipheriv('aes-128-gcm', aesKey, nonce).setAAD(head)
    const sealed = cipher.update(Buffer.concat([content, number(HANDSHAKE, 1)]))
    return Buffer.concat([head, sealed, cipher.final(), cipher.getAuthTag()])
  }
}

/** The session's id and the key of X25519 in the first message of the client. */
function readHello(hello: Buffer) {
  const sessionId = hello.subarray(39, 39 + (hello[38] ?? 0))
  let at = 39 + sessionId.length
  at += 2 + hello.readUInt16BE(at) // ciphers
  at += 1 + (hello[at] ?? 0) // compressions
  for (at += 2; hello.readUInt16BE(at) !== 51; ) at += 4 + hello.readUInt16BE(at + 2)
  for (at += 6; hello.readUInt16BE(at) !== X25519; ) at += 4 + hello.readUInt16BE(at + 2)
  return { sessionId, share: hello.subarray(at + 4, at + 36) }
}

/** The whole handshake of the server, and the secret of what it sends afterwards. */
function handshake(hello: Buffer, certificates: number) {
  const { sessionId, share } = readHello(hello)
  const own = generateKeyPairSync('x25519')
  const ownShare = own.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const peer = createPublicKey({ key: Buffer.concat([X25519_KEY, share]), format: 'der', type: 'spki' })
  const shared = diffieHellman({ privateKey: own.privateKey, publicKey: peer })
  const version = Buffer.concat([number(43, 2), sized(2, number(0x304, 2))])
  const keyShare = Buffer.concat([number(51, 2), sized(2, number(X25519, 2), sized(2, ownShare))])
  const aes = number(0x130100, 3) // with no compression
  const serverHello = message(
    2,
    number(0x303, 2),
    sha256(ownShare),
    sized(1, sessionId),
    aes,
    sized(2, version, keyShare),
  )

  const early = hmac(ZEROS, ZEROS)
  const secret = hmac(derive(early, 'derived', sha256(NONE)), shared)
  const serverSecret = derive(secret, 's hs traffic', sha256(Buffer.concat([hello, serverHello])))
  const chain = Array.from({ length: certificates }, () =>
    Buffer.concat([sized(3, new X509Certificate(cert).raw), number(0, 2)]),
  )
  const messages = [message(8, number(0, 2)), message(11, number(0, 1), sized(3, ...chain))]
  const soFar = () => sha256(Buffer.concat([hello, serverHello, ...messages]))
  const signed = Buffer.concat([Buffer.alloc(64, ' '), Buffer.from('TLS 1.3, server CertificateVerify\0'), soFar()])
  messages.push(message(15, number(0x403, 2), sized(2, sign('sha256', signed, key))))
  messages.push(message(20, hmac(derive(serverSecret, 'finished'), soFar())))

  const toRecord = createRecords(serverSecret)
  const all = Buffer.concat(messages)
  const pieces = Array.from({ length: Math.ceil(all.length / 16_000) }, (_, i) =>
    all.subarray(i * 16_000, (i + 1) * 16_000),
  )
  const master = hmac(derive(secret, 'derived', sha256(NONE)), ZEROS)
  return {
    records: [Buffer.concat([number(HANDSHAKE, 1), number(0x303, 2), sized(2, serverHello)]), ...pieces.map(toRecord)],
    secret: derive(master, 's ap traffic', soFar()),
  }
}

const TICKET = message(4, Buffer.alloc(8), sized(1, number(1, 1)), sized(2, ZEROS), number(0, 2))
const KEY_UPDATE = message(24, number(1, 1)) // the client answers with its own

/** What comes after the handshake, 100 records at a time. */
const ENDLESS: Record<string, (secret: Buffer) => () => Buffer> = {
  tickets(secret) {
    const toRecord = createRecords(secret)
    return () => Buffer.concat(Array.from({ length: 100 }, () => toRecord(TICKET)))
  },
  'new keys'(first) {
    let secret = first
    const next = () => {
      const sealed = createRecords(secret)(KEY_UPDATE)
      secret = derive(secret, 'traffic upd')
      return sealed
    }
    return () => Buffer.concat(Array.from({ length: 100 }, next))
  },
  certificates: () => () => NONE,
}

function answer(socket: Socket, kind: string) {
  let received = NONE
  const read = (data: Buffer) => {
    received = Buffer.concat([received, data])
    const end = received.length < 5 ? 5 : 5 + received.readUInt16BE(3)
    if (received.length < end) return
    socket.off('data', read).resume()
    const { records, secret } = handshake(received.subarray(5, end), kind === 'certificates' ? 100 : 1)
    for (const record of records) socket.write(record)
    const next = ENDLESS[kind]?.(secret) ?? (() => NONE)
    const send = () => {
      const part = next()
      if (socket.destroyed || part.length === 0) return
      if (socket.write(part)) setImmediate(send)
      else socket.once('drain', send)
    }
    send()
  }
  socket.on('data', read)
}

/** Renegotiates TLS 1.2, which node:tls can do. */
function renegotiate(socket: TLSSocket): void {
  socket.once('data', function again() {
    if (!socket.destroyed) socket.renegotiate({}, (error) => error ?? setImmediate(again))
  })
}

const server =
  workerData === 'renegotiation'
    ? createTlsServer({ key, cert, maxVersion: 'TLSv1.2' }, renegotiate)
    : createServer((socket) => answer(socket, workerData))
server.on('connection', (socket: Socket) => {
  socket.on('error', () => {})
  socket.on('close', () => parentPort?.postMessage('closed'))
})
server.on('secureConnection', (socket: TLSSocket) => socket.on('error', () => {})) // the error says that it renegotiates too often
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port)) // it is on TCP
