// The load generator, a process of its own. Bare sockets and ready-made requests: it must cost less than what it measures.
import { connect, type Socket } from 'node:net'
import { createAnswerCheck } from './answer.ts'
import type { Load, LoadResult, Reply } from './message.ts'
import { quantile } from './statistics.ts'

const MOST_REQUESTS = 500_000
const GRACE_MS = 5000

const latencies = new Float64Array(MOST_REQUESTS)

process.on('disconnect', () => process.exit())
process.on('message', async (load: Load) => {
  const reply: Reply<LoadResult> = await run(load).then(
    (answer) => ({ answer }),
    (error: Error) => ({ trouble: error.message }),
  )
  process.send?.(reply)
})

async function run(load: Load): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: load.connections }, () => open(load.port)))
  const cpuBefore = process.cpuUsage()
  const start = performance.now()
  try {
    const requests = await keepBusy(sockets, load, start)
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(cpuBefore)
    const sorted = latencies.subarray(0, requests).sort()
    return { requests, seconds, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99), cpuMicros: user + system }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Sends a request on each connection, and the next as soon as its answer is there and right; resolves to their number. */
function keepBusy(sockets: Socket[], { requests, expected, durationMs }: Load, start: number): Promise<number> {
  const isWhole = createAnswerCheck(expected)
  const bytes = requests.map((request) => Buffer.from(request))
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let sent = 0
  let answered = 0
  let busy = sockets.length

  for (const socket of sockets) {
    let sentAt = start
    let received: Buffer | undefined
    const next = () => {
      sentAt = performance.now()
      if (sentAt - start >= durationMs || sent >= MOST_REQUESTS) {
        if (--busy === 0) resolve(answered)
        return
      }
      const request = bytes[sent++ % bytes.length]
      if (request) socket.write(request)
    }
    socket.on('data', (chunk) => {
      try {
        received = received ? Buffer.concat([received, chunk]) : chunk
        if (!isWhole(received)) return
        received = undefined
        latencies[answered++] = performance.now() - sentAt
        next()
      } catch (error) {
        reject(error)
      }
    })
    socket.once('close', () => reject(new Error('The server closed a connection.')))
    next()
  }
  const late = setTimeout(() => reject(new Error('The server stopped answering.')), durationMs + GRACE_MS)
  return promise.finally(() => clearTimeout(late))
}
