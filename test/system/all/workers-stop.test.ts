import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { graphqlRequest } from '../../fault/http-connection.ts'
import { startPortal } from '../../support/process/portal-process.ts'
import { connectionsToEach, marksOf, pidOf, startWorkers } from '../../support/process/workers.ts'

const CLEAN = { code: 0, signal: null }
/** As without npm: its workers notice by themselves that the parent is gone. */
const NO_NPM = { npm_lifecycle_event: '' }

type Portal = Awaited<ReturnType<typeof startWorkers>>

const portOf = ({ url }: Portal) => Number(new URL(url).port)
const saying = ({ lines }: Portal, words: string) => lines().filter(({ msg }) => msg === words)

/** A request to each of two workers whose body is not sent yet. They are answered once it is. */
async function halfSent(portal: Portal) {
  const request = graphqlRequest(portal.secret, '{ viewer { role } }')
  const { promise: sendTheRest, resolve } = Promise.withResolvers<void>()
  const connections = await connectionsToEach(portal, { workers: 2, each: 1 })
  const answers = connections.map((connection) => connection.send(request, sendTheRest))
  for (const client of (await marksOf(portal, 2)).values()) client.close() // a worker that answers has read what came before
  return {
    async answers() {
      resolve()
      return Promise.all(answers)
    },
  }
}

async function isRefused(portal: Portal): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port: portOf(portal) })
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

it('SIGTERM: a request in progress in each worker is answered, while new connections are refused', async () => {
  const portal = await startWorkers(2)
  const { answers } = await halfSent(portal)
  portal.send('SIGTERM')
  await expect.poll(() => isRefused(portal)).toBe(true)
  expect(saying(portal, 'closed')).toEqual([])

  for (const { status, head } of await answers()) {
    expect(status).toBe(200)
    expect(head).toMatch(/connection: close/i)
  }
  expect(await portal.ended).toEqual(CLEAN)
  expect(saying(portal, 'closed')).toHaveLength(2)
})

it('SIGTERM while workers are replaced: what is in progress is answered, and all of them stop', async () => {
  const portal = await startWorkers(2)
  const { answers } = await halfSent(portal)
  portal.send('SIGHUP')
  await portal.until(() => saying(portal, 'retiring').length > 0)
  portal.send('SIGTERM')
  await expect.poll(() => isRefused(portal)).toBe(true)
  for (const { status } of await answers()) expect(status).toBe(200)
  expect(await portal.ended).toEqual(CLEAN)
  expect(saying(portal, 'all workers are replaced')).toEqual([])
})

it('SIGHUP while all workers stop starts none', async () => {
  const portal = await startWorkers(2)
  const { answers } = await halfSent(portal)
  portal.send('SIGTERM')
  await expect.poll(() => isRefused(portal)).toBe(true)
  portal.send('SIGHUP')
  await portal.until(() => saying(portal, 'the workers are replaced one by one').length > 0)
  for (const { status } of await answers()) expect(status).toBe(200)
  expect(await portal.ended).toEqual(CLEAN)
  expect(saying(portal, 'closed')).toHaveLength(2)
})

it('SIGHUP many times at once replaces each worker once', async () => {
  const portal = await startWorkers(2)
  for (let i = 0; i < 5; i++) portal.send('SIGHUP')
  await portal.until(() => saying(portal, 'all workers are replaced').length > 0)
  expect(portal.serving().map(({ id }) => id)).toEqual([3, 4])
  expect(saying(portal, 'the workers are replaced one by one')).toHaveLength(1)
  expect(await portal.stop()).toEqual(CLEAN)
})

it('when the parent is killed, its workers answer what they have, and leave the port and the database to the next portal', async () => {
  const portal = await startWorkers(2, NO_NPM)
  const { answers } = await halfSent(portal)
  process.kill(Number(portal.pid), 'SIGKILL')
  await portal.until(() => saying(portal, 'closing').length === 2)
  for (const { status } of await answers()) expect(status).toBe(200)
  await portal.ended // its output ends with the last of them
  expect(saying(portal, 'closed')).toHaveLength(2)

  const next = await startPortal(portal.dataDir, { env: { WORKERS: '2', PORT: String(portOf(portal)) } })
  expect(await next.asKey(portal.secret)('{ viewer { role } }')).toMatchObject({ status: 200 })
  expect(await next.stop()).toEqual(CLEAN)
})

it('when the parent is killed while it starts a worker, none is left', async () => {
  const portal = await startWorkers(2, NO_NPM)
  process.kill(pidOf(portal), 'SIGKILL')
  await portal.until(() => saying(portal, 'a worker has died and is replaced').length === 1)
  process.kill(Number(portal.pid), 'SIGKILL')
  await portal.ended
  expect(await isRefused(portal)).toBe(true)
})
