// Receivers of webhooks that do what no receiver should. A process of its own: what they compute is not the portal's.
import { createServer, type Socket } from 'node:net'
import type { ReceiverKind } from './receivers.ts'

const CHUNK_BYTES = 64 * 1024
const DRIP_MS = 2

type Receiver = (socket: Socket) => void

const flood =
  (head: string, part: string): Receiver =>
  (socket) => {
    const chunk = part.repeat(Math.ceil(CHUNK_BYTES / part.length))
    const write = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', write)
    socket.write(head)
    write()
  }

const drip =
  (head: string, part: string): Receiver =>
  (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(part), DRIP_MS)
    socket.on('close', () => clearInterval(timer))
  }

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`

const RECEIVERS: Record<ReceiverKind, Receiver> = {
  quick: (socket) => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'),
  interim: flood('', 'HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n'),
  continue: flood('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  processing: drip('', 'HTTP/1.1 102 Processing\r\n\r\n'),
  headers: flood(ok, 'x-more: 1\r\n'),
  drip: drip(`${ok}x-more: `, 'x'),
  body: flood(`${ok}\r\n`, 'x'),
  chunks: flood(chunked, '1\r\nx\r\n'),
  extensions: flood(`${chunked}1`, ';x=y'),
  trailers: flood(`${chunked}0\r\n`, 'x-more: 1\r\n'),
  silent: () => {},
  noise: flood('SSH-2.0-OpenSSH\r\n', '\u0000\r\n'),
  reset: (socket) => socket.resetAndDestroy(),
  redirect: (socket) => socket.end(`HTTP/1.1 307 x\r\nlocation: /${'x'.repeat(12_000)}\r\nretry-after: 0\r\n\r\n`),
}

const sockets = new Set<Socket>()
const server = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => {}) // what follows is 'close'
  socket.on('close', () => sockets.delete(socket))
  socket.once('data', (head) => {
    const [, kind] = /^POST \/(\w+)/.exec(head.toString('latin1')) ?? []
    const receiver = Object.entries(RECEIVERS).find(([name]) => name === kind)?.[1]
    receiver?.(socket)
  })
})

process.on('disconnect', () => process.exit())
process.on('message', () => {
  for (const socket of sockets) socket.resetAndDestroy()
  process.send?.('released')
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
