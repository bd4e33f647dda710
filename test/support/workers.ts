import { expect } from 'vitest'
import { graphqlRequest, openHttpConnection } from '../fault/http-connection.ts'
import { startDemo, temporaryFolder } from './portal-process.ts'

type Demo = Awaited<ReturnType<typeof startDemo>>

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

/** A demo portal with several workers, all of which serve. */
export async function startWorkers(workers: number, env: Record<string, string> = {}) {
  const portal = await startDemo(temporaryFolder(), { WORKERS: String(workers), ...env })
  const crew = crewOf(portal)
  await crew.until(() => crew.serving().length === workers)
  const { apiKey, secret } = await generateKey(portal)
  return { ...portal, ...crew, keyId: apiKey.id, secret, calls: { answered: 0 } }
}

/** Nobody else calls with it. */
async function generateKey({ url, secret }: Demo): Promise<NewKey> {
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
function crewOf({ stderr }: Pick<Demo, 'stderr'>) {
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
