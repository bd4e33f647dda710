import { fileURLToPath } from 'node:url'
import { call, callUntilAnswered, freePort, PAGE_SIZE } from './call.ts'
import { ask, type Child, startChild } from './children.ts'
import type { EmptyOptions } from './empty.ts'
import type { FloorOptions, LearnedQuery } from './floor.ts'
import type { CpuProfile, Heap, ProbeQuestion, Query, Usage } from './message.ts'
import type { Fleet, SqliteFleet } from './seed.ts'

const PORTAL = fileURLToPath(import.meta.resolve('../../bin/portal.js'))
const FLOOR = fileURLToPath(import.meta.resolve('./floor.ts'))
const EMPTY = fileURLToPath(import.meta.resolve('./empty.ts'))
const START_MS = 60_000 // the first start may build the web interface
const PROBE_MS = 20_000

export type LearnedFloor = Omit<FloorOptions, 'port'> & { key: LearnedQuery }

/** A server under test: a separate process on a loopback port. */
export interface System {
  name: string
  port: number
  usage(): Promise<Usage>
  heap(question: 'heap' | 'collected heap'): Promise<Heap>
  /** The statements that it runs on SQLite in the meantime. Only after timing: a watched server stays slower. */
  queriesDuring(work: () => Promise<unknown>, which?: 'queries' | 'writes'): Promise<Query[]>
  /** Where it spends its time in the meantime. */
  profileDuring(work: () => Promise<unknown>): Promise<CpuProfile>
  stop(): Promise<void>
}

/** Limits on requests are counted, as users have them, and refuse nothing. */
const NEVER_REACHED = '1000000'

/** The portal, as an operator starts it, but with limits that are not reached. */
export async function startPortal(name: string, fleet: Fleet, flags: string[] = [], program = PORTAL): Promise<System> {
  const port = await freePort()
  return ready(name, port, fleet, startPortalProcess(fleet, { port, flags, program, answers: 'by probe' }))
}

/** Starts the portal as a bare process that may not be ready yet. */
export function startPortalProcess(
  { folder, settings }: Fleet,
  options: { port: number; flags?: string[]; program?: string; answers: 'by probe' | 'never' },
): Child {
  const { port, flags = [], program = PORTAL, answers } = options
  const watchesUs = { npm_lifecycle_event: 'bench' } // as under npm: it stops when the process that started it is gone
  const env = { ...watchesUs, HOST: '127.0.0.1', PORT: String(port), RATE_LIMIT: NEVER_REACHED, ...settings }
  return startChild(folder, { name: 'portal', args: [...flags, program, 'serve'], env, answers })
}

export const SENT = ['content-type', 'cache-control', 'x-content-type-options', 'x-request-id']

/**
 * What the floor needs to answer a call as the portal does: its queries, taken from the running portal, and its bytes.
 */
export async function learnFloor(fleet: SqliteFleet): Promise<LearnedFloor> {
  const portal = await startPortal('portal', fleet)
  const { headers } = await call(portal.port, fleet.secret)
  const queries = await portal.queriesDuring(() => call(portal.port, fleet.secret))
  await portal.stop()
  const learn = (table: string): LearnedQuery => {
    const query = queries.find(({ sql }) => new RegExp(`\\bfrom "${table}"`).test(sql))
    if (!query) throw new Error(`No query of ${table}, only: ${queries.map(({ sql }) => sql).join('; ')}`)
    return { sql: query.sql, parameters: query.parameters.map((value) => (isHash(value) ? null : value)) }
  }
  const sent = Object.fromEntries(SENT.map((name) => [name, String(headers[name])]))
  return { file: fleet.file, page: learn('device'), key: learn('apiKey'), pageSize: PAGE_SIZE, headers: sent }
}

/** A hash as the probe prints it: 32 numbers. */
const isHash = (value: string | number) => /^\d+(,\d+){31}$/.test(String(value))

/** The floor under the portal, see floor.ts: without a key, or as `floor with keys`. */
export async function startFloor(
  fleet: Fleet,
  learned: LearnedFloor,
  name: 'floor' | 'floor with keys' = 'floor',
): Promise<System> {
  const port = await freePort()
  const options = { port, answers: 'by probe', withKeys: name === 'floor with keys' } as const
  return ready(name, port, fleet, startFloorProcess(fleet, learned, options))
}

/** Starts the floor as a bare process that may not be ready yet. */
export function startFloorProcess(
  { folder }: Fleet,
  { key, ...learned }: LearnedFloor,
  { port, answers, withKeys = false }: { port: number; answers: 'by probe' | 'never'; withKeys?: boolean },
): Child {
  const options: FloorOptions = { port, ...learned, ...(withKeys ? { key } : {}) }
  return startChild(folder, { name: 'floor', args: [FLOOR, JSON.stringify(options)], answers })
}

/** A server that sends the same bytes without any work: see empty.ts. */
export async function startEmpty(fleet: Fleet, body: string, { headers }: LearnedFloor): Promise<System> {
  const port = await freePort()
  const options: EmptyOptions = { port, body, headers }
  const child = startChild(fleet.folder, { name: 'empty', args: [EMPTY, JSON.stringify(options)], answers: 'by probe' })
  return ready('empty', port, fleet, child)
}

/** The first answer of a server that was just started; if there is none, its output says why. */
export async function firstAnswer(name: string, port: number, { secret }: Fleet, child: Child) {
  try {
    return await callUntilAnswered({ port, secret, timeoutMs: START_MS }, child.hasExpired)
  } catch (error) {
    throw new Error(`${name} did not start: ${child.printed()}`, { cause: error })
  }
}

/** A server that was just started, once it answers. */
export async function ready(name: string, port: number, fleet: Fleet, child: Child): Promise<System> {
  await firstAnswer(name, port, fleet, child)
  const asked = <Answer>(question: ProbeQuestion) => ask<Answer>(child, question, PROBE_MS)
  return {
    name,
    port,
    usage: () => asked<Usage>('usage'),
    heap: (question) => asked<Heap>(question),
    async queriesDuring(work, which = 'queries') {
      await asked(`watch ${which}`)
      await work()
      return asked<Query[]>('queries')
    },
    async profileDuring(work) {
      await asked('start profile')
      await work()
      return asked<CpuProfile>('profile')
    },
    stop: child.stop,
  }
}
