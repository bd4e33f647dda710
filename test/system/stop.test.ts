import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { holdWriteLock, startDemo, startPortal, temporaryFolder } from '../support/process/portal-process.ts'
import { runInProcess } from '../support/world/command-line.ts'
import { fieldOf } from '../support/world/people.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'
const CLEAN = { code: 0, signal: null }

it.each(['SIGTERM', 'SIGINT'] as const)(
  '%s: requests in progress are answered and last-used times are written',
  async (signal) => {
    const folder = temporaryFolder()
    const portal = await startDemo(folder)
    await portal.asKey(portal.secret)('{ viewer { role } }') // the first use is written at once, later ones are gathered
    const letGo = holdWriteLock(folder)
    const usedAt = Date.now()
    const names = Array.from({ length: 20 }, (_, i) => `under-way-${i}`)
    const agent = new Agent({ keepAlive: true })
    const sent = names.map((name) => send(portal.url, portal.secret, { query: CREATE, variables: { name } }, agent))
    await Promise.all(sent.map((each) => once(each, 'finish')))
    await hasReadThem(portal.url)

    portal.send(signal)
    await refusesConnections(portal.url)
    portal.send(signal) // a second one does no harm
    letGo()
    const answers = await Promise.all(sent.map(answerOf))

    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200))
    expect(answers.map(({ body }) => body)).toEqual(names.map((name) => ({ data: { createDevice: { name } } })))
    expect(answers.map(({ connection }) => connection)).toEqual(names.map(() => 'close'))
    expect(await portal.ended).toEqual(CLEAN)
    const again = await startPortal(folder)
    expect(await devices(again, portal.secret)).toEqual(expect.arrayContaining(names))
    expect(await lastUsed(folder)).toBeGreaterThanOrEqual(usedAt)
  },
)

it('SIGTERM under load: no response is cut off, and unanswered requests were not executed', async () => {
  const folder = temporaryFolder()
  const portal = await startDemo(folder)
  const made = await devices(portal, portal.secret)
  const agent = new Agent({ keepAlive: true })
  const wrong: unknown[] = []
  let answered = 0
  const client = async (_: unknown, n: number) => {
    for (let i = 0; ; i++) {
      const name = `load-${n}-${i}`
      const sent = send(portal.url, portal.secret, { query: CREATE, variables: { name } }, agent)
      const [answer] = await once(sent, 'response').catch(() => [])
      if (!answer) return // not taken: refused, or an idle connection that was closed meanwhile
      const { status, body } = await readAnswer(answer).catch((error) => ({ status: 'cut off', body: error }))
      if (status === 200) made.push(name)
      else wrong.push({ status, body })
      if (++answered === 200) portal.send('SIGTERM')
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))

  expect(wrong).toEqual([])
  expect(answered).toBeGreaterThanOrEqual(200)
  expect(await portal.ended).toEqual(CLEAN)
  const again = await startPortal(folder)
  expect((await devices(again, portal.secret)).sort()).toEqual(made.sort())
})

it('SIGTERM: idle connections delay nothing', async () => {
  const portal = await startDemo(temporaryFolder())
  const agent = new Agent({ keepAlive: true })
  await answerOf(send(portal.url, portal.secret, { query: '{ viewer { role } }' }, agent)) // its connection stays open
  const silent = await Promise.all(Array.from({ length: 5 }, () => open(portal.url)))
  await hasReadThem(portal.url)

  expect(await portal.stop()).toEqual(CLEAN)
  await expect.poll(() => silent.every((socket) => socket.closed || socket.readableEnded)).toBe(true)
})

function send(url: string, secret: string, body: object, agent: Agent): ClientRequest {
  const headers = { 'content-type': 'application/json', 'api-secret': secret }
  const sent = request(`${url}/graphql`, { method: 'POST', headers, agent })
  sent.on('error', () => {}) // whoever waits for the answer hears of it
  sent.end(JSON.stringify(body))
  return sent
}

async function answerOf(sent: ClientRequest) {
  const [response] = await once(sent, 'response')
  return readAnswer(response)
}

async function readAnswer(response: IncomingMessage) {
  const body: unknown = JSON.parse(await text(response))
  return { status: response.statusCode, connection: response.headers.connection, body }
}

/** What was sent before this answer has been read by the server: it takes connections and requests in their order. */
async function hasReadThem(url: string): Promise<void> {
  for (let i = 0; i < 2; i++) await (await fetch(`${url}/health/live`)).text()
}

async function refusesConnections(url: string): Promise<void> {
  for (;;) {
    try {
      const socket = await open(url)
      socket.destroy()
    } catch {
      return
    }
  }
}

async function open(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url)
  const socket = connect({ host, port: Number(port) })
  await once(socket, 'connect')
  socket.on('error', () => {}) // being cut off is what is tested
  return socket
}

/** When the first key was last used, as another process finds it on disk. */
async function lastUsed(dataDir: string): Promise<number> {
  const { stdout } = await runInProcess(['key', 'list', '--org', 'demo', '--json'], { env: { DATA_DIR: dataDir } })
  const [key] = JSON.parse(stdout)
  return Date.parse(key.lastUsedAt)
}

type Calling = Pick<Awaited<ReturnType<typeof startPortal>>, 'asKey'>

async function devices({ asKey }: Calling, secret: string): Promise<string[]> {
  const names: string[] = []
  for (let after: string | null = null; ; ) {
    const query =
      'query ($after: String) { devices(first: 500, after: $after) { data { name } pageInfo { hasNextPage endCursor } } }'
    const page: DevicePage = fieldOf(await asKey(secret)(query, { after }))
    names.push(...page.data.map(({ name }) => name))
    if (!page.pageInfo.hasNextPage) return names
    after = page.pageInfo.endCursor
  }
}

interface DevicePage {
  data: { name: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}
