import { expect, it, onTestFinished } from 'vitest'
import { DAY } from '../../server/lib/clock.ts'
import { answeredBy, graphqlRequest, openHttpConnection } from '../fault/http-connection.ts'
import { metricsOf } from '../support/metrics.ts'
import { startWorkers } from '../support/workers.ts'

const ANSWER_WITHIN_MS = 60_000
const CONNECTIONS = 16
const WHO = '{ viewer { role } }'

type Portal = Awaited<ReturnType<typeof startWorkers>>

/** Connections of which each worker has some; all of them send requests at once, each one after the other. */
function openMany({ url }: Portal) {
  const port = Number(new URL(url).port)
  const all = Array.from({ length: CONNECTIONS }, () => openHttpConnection(port, ANSWER_WITHIN_MS))
  onTestFinished(() => {
    for (const connection of all) connection.close()
  })
  const by = new Set<string>()
  return {
    /** The processes that have answered. */
    by,
    /** How many answers had which status. */
    async send(times: number, request: string): Promise<Record<number, number>> {
      const counts: Record<number, number> = {}
      let sent = 0
      await Promise.all(
        all.map(async (connection) => {
          while (sent++ < times) {
            const { status, head } = await connection.send(request)
            counts[status] = (counts[status] ?? 0) + 1
            by.add(answeredBy(head) ?? '')
          }
        }),
      )
      return counts
    },
  }
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

/** A worker whose parent had no processor for a second has its own share, as documented. */
const countedAlone = (portal: Portal) => portal.lines().some(({ msg }) => msg.startsWith('the parent does not answer'))

it('WORKERS=2: a limit holds over both workers to the call, for few messages; password attempts too', async () => {
  const portal = await startWorkers(2, { RATE_LIMIT: 'off' })
  const day = Math.floor(Date.now() / DAY)
  const generate = 'mutation { generateApiKey(input: { label: "limited", requestsPerDay: 1000 }) { secret } }'
  const { secret } = (await call(portal, generate)).generateApiKey
  const { send, by } = openMany(portal)

  const counts = await send(1200, graphqlRequest(secret, WHO))
  const messages = (await metricsOf(portal))['portal_lease_requests_total'] ?? Number.NaN
  const wrong = await send(12, signIn('admin@example.com'))

  expect(by.size).toBe(2)
  const isExact = !countedAlone(portal) && Math.floor(Date.now() / DAY) === day
  if (isExact) expect(counts).toEqual({ 200: 1000, 429: 200 })
  else expect(counts[200]).toBeLessThanOrEqual(2 * 1000)
  if (isExact) expect(wrong).toEqual({ 401: 5, 429: 7 })
  expect(messages).toBeGreaterThan(0)
  expect(messages).toBeLessThanOrEqual(150)
  await portal.stop()
})
