import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { startDemo, temporaryFolder } from '../support/process/portal-process.ts'

const CLEAN = { code: 0, signal: null }
const LONGEST = { DRAIN_SECONDS: '300' }

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: portal\r\n\r\n`

function post(secret: string): string {
  const body = '{"query":"{ viewer { role } }"}'
  const head = `POST /graphql HTTP/1.1\r\nhost: portal\r\ncontent-type: application/json\r\napi-secret: ${secret}`
  return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

async function open(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return {
    /** All that comes back until the server closes the connection. */
    lastAnswerTo: (request: string) => {
      socket.write(request)
      return text(socket)
    },
    async answerTo(request: string): Promise<string> {
      socket.write(request)
      const [bytes] = await once(socket, 'data')
      return String(bytes)
    },
  }
}

async function readiness(url: string) {
  const response = await fetch(`${url}/health/ready`)
  return { status: response.status, body: await response.text() }
}

it('DRAIN_SECONDS: after SIGTERM it is not ready, and answers each call with Connection: close; a second SIGTERM ends that', async () => {
  const portal = await startDemo(temporaryFolder(), LONGEST)
  const [idle, busy] = [await open(portal.url), await open(portal.url)]
  expect(await busy.answerTo(post(portal.secret))).toMatch(/connection: keep-alive/i)

  portal.send('SIGTERM')
  await expect
    .poll(() => readiness(portal.url))
    .toMatchObject({ status: 503, body: expect.stringContaining('stopping') })
  const last = [idle, busy, await open(portal.url)].map(({ lastAnswerTo }) => lastAnswerTo(post(portal.secret)))
  for (const answer of await Promise.all(last))
    expect(answer).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close[\s\S]*ADMIN/i)
  expect((await fetch(`${portal.url}/health/live`)).status).toBe(200)
  expect(await (await open(portal.url)).lastAnswerTo(get('/'))).toMatch(/^HTTP\/1.1 200 [\s\S]*connection: close/i)

  const again = setInterval(() => portal.send('SIGTERM'), 100) // one that comes with the first is taken for the same
  expect(await portal.ended).toEqual(CLEAN)
  clearInterval(again)
  expect(portal.stderr()).toContain('"draining"')
})

it('DRAIN_SECONDS: when the time is up it stops by itself, whatever connections are idle', async () => {
  const portal = await startDemo(temporaryFolder(), { DRAIN_SECONDS: '1' })
  const idle = await open(portal.url)
  await idle.answerTo(post(portal.secret))

  expect(await portal.stop()).toEqual(CLEAN)
  await expect(open(portal.url)).rejects.toThrow('ECONNREFUSED')
})
