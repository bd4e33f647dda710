import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { graphqlRequest, type HttpAnswer, openHttpConnection } from '../../fault/http-connection.ts'
import { launch } from './portal-process.ts'
import type { Look, Question } from './probe.ts'
import { askProbe } from './probed.ts'

const EMPTY = fileURLToPath(import.meta.resolve('./empty-server.ts'))
const TIMEOUT_MS = 20_000
const WARM_CALLS = 500
const MEASURED_CALLS = 500 // twice as many allocate twice the bytes, and some would be collected
const TRIES = 5

interface Probed {
  port: number
  probe(question: Question): Promise<Look>
}

/** A bare HTTP server that answers with the given body. */
export async function startEmpty(body: string): Promise<Probed> {
  const child = launch([EMPTY, body], {}, { probed: true })
  const [port] = await once(child, 'message')
  return { port, probe: askProbe(child) }
}

export type Ask = (times?: number) => Promise<HttpAnswer>

/** Sends one call over and over, one at a time on one connection; gives the last answer. */
export function steadyCalls(port: number, secret: string, query: string): Ask {
  const connection = openHttpConnection(port, TIMEOUT_MS)
  onTestFinished(connection.close)
  const request = graphqlRequest(secret, query)
  return async (times = 1) => {
    for (let i = 1; i < times; i++) await connection.send(request)
    return connection.send(request)
  }
}

/** Bytes that a process allocates on its heap for each of these calls, once it is used to them. */
export async function allocatedEach({ probe }: Probed, ask: Ask): Promise<number> {
  await ask(WARM_CALLS)
  for (let tries = 0; tries < TRIES; tries++) {
    const before = await probe('collect')
    await ask(MEASURED_CALLS)
    const after = await probe('read')
    if (after.collections === before.collections) return (after.heapBytes - before.heapBytes) / MEASURED_CALLS
  }
  throw new Error('Garbage is collected all the time: nothing can be told.')
}
