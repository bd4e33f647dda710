import { expect, it } from 'vitest'
import { DAY, SECOND } from '../../server/lib/clock.ts'
import { graphqlRequest, type HttpConnection } from '../fault/http-connection.ts'
import { connectionsToEach, startWorkers } from '../support/process/workers.ts'

const CONNECTIONS_EACH = 8
const WHO = '{ viewer { role } }'

type Portal = Awaited<ReturnType<typeof startWorkers>>

/** Sends requests over all connections at once, over each one after the other; returns how many answers had which status. */
async function send(connections: HttpConnection[], times: number, request: string): Promise<Record<number, number>> {
  const counts: Record<number, number> = {}
  let sent = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (sent++ < times) {
        const { status } = await connection.send(request)
        counts[status] = (counts[status] ?? 0) + 1
      }
    }),
  )
  return counts
}

async function call({ url, secret }: Portal, query: string) {
  const headers = { 'content-type': 'application/json', 'api-secret': secret, connection: 'close' }
  const answer = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return ((await answer.json()) as { data: { generateApiKey: { secret: string } } }).data // as the query asks for it
}

const signIn = (email: string) => {
  const body = JSON.stringify({ email, password: 'not the passphrase' })
  const head = 'POST /auth/sign-in HTTP/1.1\r\nhost: portal\r\ncontent-type: application/json'
  return `${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** A worker whose parent had no processor for a second counts for itself, as documented. */
const countedAlone = (portal: Portal) => portal.lines().some(({ msg }) => msg.startsWith('the parent does not answer'))

it('WORKERS=2: a limit holds over both workers to the call; password attempts too', async () => {
  const portal = await startWorkers(2, { RATE_LIMIT: 'off' })
  const day = Math.floor(Date.now() / DAY)
  const generate = 'mutation { generateApiKey(input: { label: "limited", requestsPerDay: 1000 }) { secret } }'
  const { secret } = (await call(portal, generate)).generateApiKey
  const connections = await connectionsToEach(portal, { workers: 2, each: CONNECTIONS_EACH })

  const counts = await send(connections, 1200, graphqlRequest(secret, WHO))
  const since = performance.now()
  const wrong = await send(connections, 12, signIn('admin@example.com'))
  const isQuick = performance.now() - since < SECOND // after that, one more attempt is free

  const isExact = !countedAlone(portal) && Math.floor(Date.now() / DAY) === day
  if (isExact) expect(counts).toEqual({ 200: 1000, 429: 200 })
  else expect(counts[200]).toBeLessThanOrEqual(2 * 1000)
  if (isExact && isQuick) expect(wrong).toEqual({ 401: 5, 429: 7 })
  await portal.stop()
})

it('WORKERS=2: while the parent hangs, calls are answered, and each worker counts for itself', async () => {
  const portal = await startWorkers(2, { RATE_LIMIT: 'off' })
  const generate = 'mutation { generateApiKey(input: { label: "limited", requestsPerDay: 20 }) { secret } }'
  const { secret } = (await call(portal, generate)).generateApiKey
  const connections = await connectionsToEach(portal, { workers: 2, each: 1 })
  portal.send('SIGSTOP')
  const since = performance.now()
  const counts = await send(connections, 60, graphqlRequest(secret, WHO))
  expect(performance.now() - since).toBeLessThan(20 * SECOND)
  portal.send('SIGCONT')
  expect(counts[200]).toBeGreaterThanOrEqual(20)
  expect(counts[200]).toBeLessThanOrEqual(2 * 20)
  await portal.until(() => countedAlone(portal))
  await portal.stop()
})
