// The load generator, a separate process. Bare sockets and ready-made requests: it must cost less than what it
// measures.
import { createAnswerCheck } from './answer.ts'
import type { Load, LoadResult, Reply } from './message.ts'
import { type Connection, withConnections } from './sockets.ts'

const GRACE_MS = 5000

process.on('disconnect', () => process.exit())
process.on('message', async (load: Load) => {
  const reply: Reply<LoadResult> = await run(load).then(
    (answer) => ({ answer }),
    (error: Error) => ({ error: error.message }),
  )
  process.send?.(reply)
})

function run(load: Load): Promise<LoadResult> {
  return withConnections(load.ports, load.connections, async (connections) => {
    const cpuBefore = process.cpuUsage()
    const start = performance.now()
    const latencies = await keepBusy(connections, load, start)
    const seconds = (performance.now() - start) / 1000
    const { user, system } = process.cpuUsage(cpuBefore)
    return { seconds, latenciesMs: latencies.map(toMicros), cpuMicros: user + system }
  })
}

const toMicros = (ms: number) => Math.round(ms * 1000) / 1000

/**
 * Sends a request on each connection, and the next as soon as its response is there and right; resolves to the latency
 * of each.
 */
function keepBusy(
  connections: Connection[],
  { requests, from = 0, expected, durationMs }: Load,
  start: number,
): Promise<number[]> {
  const checks = [expected].flat().map(createAnswerCheck)
  const bytes = requests.map((request) => Buffer.from(request))
  const latencies: number[] = []
  const { promise, resolve, reject } = Promise.withResolvers<number[]>()
  let sent = from
  let busy = connections.length

  const closed = () => reject(new Error('The server closed a connection.'))
  for (const connection of connections) {
    const { socket } = connection
    let sentAt = start
    let received: Buffer | undefined
    let isBodyBuffered = checks[0]
    const next = () => {
      sentAt = performance.now()
      if (sentAt - start >= durationMs) {
        socket.off('close', closed)
        if (--busy === 0) resolve(latencies)
        return
      }
      isBodyBuffered = checks[sent % checks.length]
      const request = bytes[sent++ % bytes.length]
      if (request) socket.write(request)
    }
    connection.receive = (chunk) => {
      try {
        const answer = received ? Buffer.concat([received, chunk]) : chunk
        if (!isBodyBuffered?.(answer)) {
          received = received ? answer : Buffer.from(answer) // the next chunk overwrites it
          return
        }
        received = undefined
        latencies.push(performance.now() - sentAt)
        next()
      } catch (error) {
        reject(error)
      }
    }
    socket.once('close', closed)
    next()
  }
  const late = setTimeout(() => reject(new Error('The server stopped answering.')), durationMs + GRACE_MS)
  return promise.finally(() => clearTimeout(late))
}
