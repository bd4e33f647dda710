import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { cleanUpAfterFile, startDemo, temporaryFolder } from '../support/process/portal-process.ts'

type Portal = Awaited<ReturnType<typeof startDemo>>

const cleanUp = cleanUpAfterFile()

/** One for all of them: what a test does to it must not harm the next. */
const it = test.extend('portal', { scope: 'file' }, () => startDemo(temporaryFolder(cleanUp), {}, { cleanUp }))

async function open(portal: Portal, ...words: string[]): Promise<Socket> {
  const { hostname: host, port } = new URL(portal.url)
  const socket = connect({ host, port: Number(port) })
  socket.on('error', () => {}) // whoever is broken is cut off
  await once(socket, 'connect')
  if (words.length > 0) socket.write(words.join('\r\n'))
  return socket
}

const head = ({ secret }: Portal, length: number) => [
  'POST /graphql HTTP/1.1',
  'host: portal',
  'content-type: application/json',
  `api-secret: ${secret}`,
  `content-length: ${length}`,
  '',
]

/** Many clients in turn: all are answered. */
async function expectAnswers(portal: Portal): Promise<void> {
  for (let i = 0; i < 30; i++) {
    const { data } = await portal.asKey(portal.secret)('{ viewer { role } }')
    expect(data).toEqual({ viewer: { role: 'ADMIN' } })
  }
}

it('bodies and headers that never end delay nobody else', async ({ portal }) => {
  const slow = await Promise.all([
    ...Array.from({ length: 50 }, () => open(portal, ...head(portal, 1000), '{"query":')),
    ...Array.from({ length: 50 }, () => open(portal, 'POST /graphql HTTP/1.1', 'host: por')),
    ...Array.from({ length: 50 }, () => open(portal)),
  ])
  await expectAnswers(portal)
  expect(slow.filter((socket) => socket.closed)).toEqual([])
  for (const socket of slow) socket.destroy()
})

it('clients that send requests and do not read delay nobody else', async ({ portal }) => {
  const body = JSON.stringify({ query: '{ __schema { types { name description fields { name description } } } }' })
  const request = [...head(portal, body.length), body].join('\r\n')
  const deaf = await Promise.all(Array.from({ length: 30 }, () => open(portal)))
  for (const socket of deaf) {
    socket.pause()
    socket.write(request.repeat(40))
  }
  await expectAnswers(portal)
  expect(deaf.filter((socket) => socket.closed)).toEqual([])
  for (const socket of deaf) socket.destroy()
})

it('200 connections that are opened and dropped at any point leave nothing open', async ({ portal }) => {
  await expectAnswers(portal)
  const before = await openFiles(portal)
  const body = JSON.stringify({ query: '{ devices { data { id name } } }' })
  const whole = [...head(portal, body.length), body].join('\r\n')
  await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const socket = await open(portal, whole.slice(0, Math.floor((whole.length * i) / 199)))
      if (i % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }),
  )
  await expectAnswers(portal)
  await expect.poll(() => openFiles(portal), { timeout: 10_000 }).toBeLessThan(before + 20)
})

it('what is not HTTP, or too much of it, is answered with an error, and the server continues', async ({ portal }) => {
  const broken = [
    [431, `GET /health/live HTTP/1.1\r\nhost: x\r\nx-much: ${'x'.repeat(20_000)}\r\n\r\n`],
    [400, 'hello?\r\n\r\n'],
    [400, 'GET /health/live HTTP/1.1\r\n\r\n'], // no host
    [400, 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
  ] as const
  for (const [status, words] of broken) {
    expect(await text(await open(portal, words))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    await expectAnswers(portal)
  }
})

async function openFiles(portal: Portal): Promise<number> {
  const metrics = await (await fetch(`${portal.url}/metrics`)).text()
  return Number(/^process_open_fds (\d+)$/m.exec(metrics)?.[1])
}
