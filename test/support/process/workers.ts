import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { graphqlRequest, type HttpConnection, openHttpConnection } from '../../fault/http-connection.ts'
import { type BusyClient, type Called, createBusyClient } from './busy-clients.ts'
import { demoIn, startPortal, temporaryFolder } from './portal-process.ts'

type Portal = Awaited<ReturnType<typeof startPortal>>

export interface LogLine {
  msg: string
  worker?: number
  ready?: number
  pid?: number
  serving?: number
  by?: number
  died?: number
  killed?: number
  seconds?: number
}

const START_WITHIN_MS = 90_000

/** In place of `portal serve`, with a folder as its argument: see there. */
export const PLANTED_WORKERS = fileURLToPath(new URL('./planted-workers.ts', import.meta.url))

interface WorkersOptions {
  /** In place of `portal serve`. */
  entry?: string[]
}

/** A demo portal with several workers, all of which serve. */
export async function startWorkers(workers: number, env: Record<string, string> = {}, options: WorkersOptions = {}) {
  const settings = { WORKERS: String(workers), ...env }
  const started = await startPortal(temporaryFolder(), { args: ['--demo'], env: settings, ...options })
  const portal = { ...started, ...demoIn(started.stdout()) }
  const crew = crewOf(portal)
  await crew.until(() => crew.serving().length === workers)
  const { apiKey, secret } = await generateKey(portal)
  return { ...portal, ...crew, keyId: apiKey.id, secret, calls: { answered: 0 } }
}

/** Nobody else calls with it. */
async function generateKey({ url, secret }: { url: string; secret: string }): Promise<NewKey> {
  const connection = openHttpConnection(Number(new URL(url).port), START_WITHIN_MS)
  const { body } = await connection.send(graphqlRequest(secret, GENERATE))
  connection.close() // an idle one would keep its worker from retiring
  return JSON.parse(body).data.generateApiKey
}

const GENERATE = 'mutation { generateApiKey(input: { label: "workers" }) { apiKey { id } secret } }'

interface NewKey {
  apiKey: { id: string }
  secret: string
}

/** What the log tells about the workers of a portal. */
function crewOf({ stderr }: Pick<Portal, 'stderr'>) {
  const lines = (): LogLine[] =>
    stderr()
      .split('\n')
      .slice(0, -1) // the last one may not be complete
      .map((line) => JSON.parse(line))
  const lastOf = (name: keyof LogLine) => lines().findLast((line) => line[name] !== undefined)?.[name]

  /** The ids and processes of those that serve. */
  function serving(): { id: number; pid: number }[] {
    const all = new Map<number, number>()
    for (const { ready, pid, died, worker, msg } of lines()) {
      if (ready !== undefined && pid !== undefined) all.set(ready, pid)
      if (died !== undefined) all.delete(died)
      if (worker !== undefined && msg === 'retiring') all.delete(worker)
    }
    return [...all].map(([id, pid]) => ({ id, pid }))
  }

  return {
    lines,
    serving,
    /** The worker that does the background jobs. */
    working: () => lastOf('by'),
    until: (isSo: () => boolean) => expect.poll(isSo, { timeout: START_WITHIN_MS, message: stderr() }).toBe(true),
  }
}

/** The process of a worker. */
export function pidOf(portal: Pick<Awaited<ReturnType<typeof startWorkers>>, 'serving'>, wanted?: unknown): number {
  const found = portal.serving().find(({ id }) => wanted === undefined || id === wanted)
  if (!found) throw new Error(`There is no worker ${wanted}.`)
  return found.pid
}

/** Calls until each of so many processes has answered one, each on a connection of its own. */
export async function marksOf(portal: Called, processes: number): Promise<Map<string, BusyClient>> {
  const clients = new Map<string, BusyClient>()
  while (clients.size < processes) {
    const client = createBusyClient(portal)
    const mark = await client.call()
    if (clients.has(mark)) client.close()
    else clients.set(mark, client)
  }
  onTestFinished(() => {
    for (const client of clients.values()) client.close()
  })
  return clients
}

/** So many connections to each of so many workers. */
export async function connectionsToEach(
  { url, secret }: { url: string; secret: string },
  { workers, each }: { workers: number; each: number },
): Promise<HttpConnection[]> {
  const port = Number(new URL(url).port)
  const byMark = new Map<string, HttpConnection[]>()
  const all = () => [...byMark.values()].flat()
  while (all().length < workers * each) {
    const connection = openHttpConnection(port, START_WITHIN_MS)
    onTestFinished(connection.close)
    const { head } = await connection.send(graphqlRequest(secret, '{ viewer { role } }'))
    const [, mark = ''] = /x-request-id: ([0-9a-z]+)-/i.exec(head) ?? []
    const ofWorker = byMark.get(mark) ?? []
    byMark.set(mark, ofWorker)
    if (ofWorker.length < each) ofWorker.push(connection)
    else connection.close()
  }
  return all()
}
