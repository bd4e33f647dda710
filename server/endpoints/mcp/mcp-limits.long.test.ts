import { expect, it, onTestFinished } from 'vitest'
import { startWorld } from '../../../test/support/world/world.ts'

const BODY = (name: string, input: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } })

it('a message takes five points from the limits of the key, and more if its operation is expensive', async () => {
  const world = await startWorld({ env: { RATE_LIMIT: '10' }, tuning: { burstSeconds: 20 } })
  onTestFinished(world.close)
  const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
  const { secret } = await acme.generateKey()
  const accept = 'application/json, text/event-stream'
  const headers = { accept, 'content-type': 'application/json', 'api-secret': secret }
  const send = async (body: string) => {
    const response = await fetch(`${world.url}/mcp`, { method: 'POST', headers, body })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text: await response.text() }
  }
  const remaining = async () => {
    const { text } = await send(BODY('execute', { document: '{ rateLimit { remaining } }' }))
    return JSON.parse(JSON.parse(text).result.content[0].text).data.rateLimit.remaining as number
  }

  const before = await remaining()
  expect(before - (await remaining())).toBe(5)
  const expensive = '{ devices(first: 500) { totalCount data { id name } } }'
  await send(BODY('execute', { document: expensive }))
  const left = await remaining()
  expect(before - left).toBeGreaterThan(15)

  const answers = await Promise.all(
    Array.from({ length: left / 5 + 1 }, () => send(BODY('search_schema', { query: 'device' }))),
  )
  const refused = answers.find(({ status }) => status !== 200)
  expect(refused).toMatchObject({ status: 429, text: expect.stringContaining('RATE_LIMITED') })
  expect(Number(refused?.retryAfter)).toBeGreaterThan(0)
})
