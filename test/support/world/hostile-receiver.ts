import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** What a receiver sends for a request: something first, then something else again and again, until it is hung up on. */
export interface Hostile {
  first?: string
  again: string
  /** Each in a packet of its own, as far as the network lets it. */
  isSlow?: boolean
}

const PROGRAM = `
const { createServer } = require('node:net')
const { parentPort, workerData: { first = '', again, isSlow } } = require('node:worker_threads')
const server = createServer((socket) => {
  socket.setNoDelay(true)
  socket.on('error', () => {})
  socket.on('close', () => parentPort.postMessage({ written: socket.bytesWritten }))
  socket.once('data', () => {
    if (first) socket.write(first)
    send(socket)
  })
})
function send(socket) {
  if (socket.destroyed) return
  if (isSlow) {
    socket.write(again)
    setImmediate(send, socket)
    return
  }
  while (!socket.destroyed && socket.write(again)) {}
  if (!socket.destroyed) socket.once('drain', () => send(socket))
}
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

/** A receiver on a thread of its own: what this thread uses is what the sender costs. */
export const startHostileReceiver = (hostile: Hostile) =>
  started(new Worker(PROGRAM, { eval: true, workerData: hostile }), 'http://127.0.0.1')

/** A receiver whose TLS is hostile, with the certificate of `localhost`. */
export const startHostileTls = (kind: string) =>
  started(new Worker(new URL('./hostile-tls.ts', import.meta.url), { workerData: kind }), 'https://localhost')

async function started(worker: Worker, origin: string) {
  const [port]: [number] = (await once(worker, 'message')) as [number] // as the program sends it
  return {
    url: `${origin}:${port}/hooks`,
    /** When the sender has hung up. */
    closed: once(worker, 'message'),
    stop: () => worker.terminate(),
  }
}
