import { setTimeout as pause } from 'node:timers/promises'
import { graphqlRequest, type HttpConnection, NoAnswer, openHttpConnection } from '../fault/http-connection.ts'

const TIMEOUT_MS = 20_000
const CONNECTIONS = 32
const ONE_WRITE_IN = 50

export interface LoadResult {
  calls: number
  perSecond: number
  /** How often each way to fail was seen. */
  failed: Record<string, number>
  slowestMs: number
}

interface Load {
  /** Where the next call of this client goes. */
  port: (client: number) => number
  secrets: readonly string[]
  /** By all clients together; undefined: as many as are answered. */
  perSecond?: number
}

/** Clients with a keep-alive connection each, which read, and now and then write, until they are stopped. */
export function startLoad({ port, secrets, perSecond }: Load): { stop(): Promise<LoadResult> } {
  const began = performance.now()
  const everyMs = perSecond === undefined ? 0 : (1000 * CONNECTIONS) / perSecond
  const failed: Record<string, number> = {}
  let [calls, slowestMs, isOver] = [0, 0, false]

  async function client(_: unknown, place: number): Promise<void> {
    let connection: HttpConnection | undefined
    let connectedTo = 0
    const secret = secrets[place % secrets.length] ?? ''
    for (let i = 0; !isOver; i++) {
      const wait = began + (i + place / CONNECTIONS) * everyMs - performance.now()
      if (wait > 0) await pause(wait)
      if (!connection?.isOpen || connectedTo !== port(place)) {
        connection?.close()
        connectedTo = port(place)
        connection = openHttpConnection(connectedTo, TIMEOUT_MS)
      }
      const sentAt = performance.now()
      const problem = await problemWith(connection, i % ONE_WRITE_IN === 0 ? writeOf(secret, place, i) : read(secret))
      if (problem !== undefined) failed[problem] = (failed[problem] ?? 0) + 1
      slowestMs = Math.max(slowestMs, performance.now() - sentAt)
      calls++
    }
    connection?.close()
  }

  const clients = Array.from({ length: CONNECTIONS }, client)
  return {
    async stop() {
      isOver = true
      await Promise.all(clients)
      return { calls, perSecond: Math.round((1000 * calls) / (performance.now() - began)), failed, slowestMs }
    },
  }
}

const read = (secret: string) => graphqlRequest(secret, '{ viewer { role } }')

const writeOf = (secret: string, place: number, i: number) =>
  graphqlRequest(secret, 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }', {
    name: `device ${process.pid} ${performance.now()} ${place} ${i}`,
  })

/** Why a call has failed; undefined if it has not. Answers are small: they come whole, with `connection: close` or not. */
async function problemWith(connection: HttpConnection, request: string): Promise<string | undefined> {
  try {
    const { status, head, body } = await connection.send(request)
    if (/^connection: close\r?$/im.test(head)) connection.close()
    return status === 200 && !body.includes('"errors"')
      ? undefined
      : `${status} ${body.replace(/,"requestId":"[^"]*"/, '').slice(0, 200)}`
  } catch (error) {
    if (error instanceof NoAnswer) return error.why
    throw error
  }
}

/** What the machine sustains: three quarters of what it can do, and at most this. */
export async function sustainedRate(load: Omit<Load, 'perSecond'>, most: number, seconds = 5): Promise<number> {
  const warmUp = startLoad(load)
  await pause(2_000)
  await warmUp.stop()
  const all = startLoad(load)
  await pause(seconds * 1000)
  const { perSecond } = await all.stop()
  return Math.min(most, Math.round(0.75 * perSecond))
}

/** The number of failed calls, whatever the reasons. */
export const failedCalls = ({ failed }: LoadResult): number => Object.values(failed).reduce((sum, n) => sum + n, 0)
