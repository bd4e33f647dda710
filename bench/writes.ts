import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { call } from './support/call.ts'
import { ask, startChild } from './support/children.ts'
import type { Bench, Finding, Question } from './support/question.ts'
import { type Fleet, fillSqlite } from './support/seed.ts'
import { crowdRows } from './support/seed-crowd.ts'
import { quantile, summarize } from './support/statistics.ts'
import { undisturbed } from './support/stolen-time.ts'
import { startPortal } from './support/system.ts'
import { withPostgresRows } from './support/with-postgres.ts'

const ATTACKER = fileURLToPath(import.meta.resolve('../test/fuzz/attack-bulk.ts'))
const BYSTANDER = fileURLToPath(import.meta.resolve('../test/fuzz/bystander-process.ts'))
const SIZE = { devices: 1000, people: 1, events: 1000 }
const WEBHOOKS = 20
const EVENTS = '[DEVICE_CREATED, DEVICE_UPDATED, DEVICE_DELETED]'
const SETTINGS = { RATE_LIMIT: '100', WEBHOOK_NETWORKS: '127.0.0.0/8' } // the default limit
const PATIENCE_MS = 60_000
const ATTACKS = 3

interface Waited {
  latenciesMs: number[]
  waitingMs: number
}

interface Seen {
  writes: Waited
  refused: string[]
}

/** Whether one caller can delay what another one writes. */
export const writes: Question = {
  id: 'writes',
  asks: `a write every 50 ms in one organization while a key of another one, which has ${WEBHOOKS} webhooks, changes 500 devices a call in every way, as fast as limits allow`,
  isLong: true,
  async answer(bench) {
    const onSqlite = await measure(bench, 'SQLite', await fillSqlite(crowdRows(SIZE), bench.progress))
    const { findings, absent } = await withPostgresRows(crowdRows(SIZE), async (fleet, absent) => ({
      findings: fleet ? await measure(bench, 'PostgreSQL', fleet) : [],
      absent,
    }))
    return { findings: [...onSqlite, ...findings], systems: [], absent }
  },
}

async function measure(bench: Bench, on: string, fleet: Fleet): Promise<Finding[]> {
  const receiver = createServer((_request, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const rounds: { seen: Seen; codes: string }[] = []
  for (let i = 1; i <= ATTACKS; i++) {
    bench.progress.say(`writes · ${on} · attack ${i} of ${ATTACKS}`)
    rounds.push(await undisturbed(() => attackOnce(bench, fleet, receiver)))
  }
  receiver.close()
  const all = rounds.map(({ seen }) => seen)
  const codes = rounds.map(({ codes }) => codes).join(' · ')
  const finding = (what: string, ofSeen: (seen: Seen) => number, budget?: Finding['budget']): Finding => ({
    what: `${on}, ${what}`,
    value: summarize(all.map(ofSeen)),
    unit: 'ms',
    ...(budget && { budget }),
  })
  return [
    finding(`a bystander's write, p99 (${codes})`, (seen) => latency(seen, 0.99), { atMost: 150 }),
    finding('median', (seen) => latency(seen, 0.5)),
    finding('the longest', (seen) => latency(seen, 1)),
    {
      what: `${on}, calls that are refused`,
      value: summarize(all.map(({ refused }) => refused.length)),
      unit: 'answers',
      budget: { atMost: 0 },
    },
  ]
}

const latency = ({ writes: { latenciesMs, waitingMs } }: Seen, share: number) =>
  quantile(
    [...latenciesMs, waitingMs].toSorted((a, b) => a - b),
    share,
  )

async function attackOnce({ effort }: Bench, fleet: Fleet, receiver: Server) {
  const system = await startPortal('portal', { ...fleet, settings: { ...fleet.settings, ...SETTINGS } })
  const { port } = system
  const [own = '', other = ''] = fleet.secrets
  const bystander = startChild(fleet.folder, { name: 'bystander', args: [BYSTANDER], answers: 'by itself' })
  const attacker = startChild(fleet.folder, { name: 'attacker', args: [ATTACKER], answers: 'by itself' })
  try {
    await addWebhooks(port, own, receiver)
    bystander.process.send({ port, secrets: [other], deviceId: await addDevice(port, other) })
    await pause(effort.warmUpMs)
    await ask<Seen>(bystander, 'poll', PATIENCE_MS)
    const order = { port, secret: own, ms: effort.attackMs }
    const { codes } = await ask<{ codes: Record<string, number> }>(attacker, order, effort.attackMs + PATIENCE_MS)
    const seen = await ask<Seen>(bystander, 'poll', PATIENCE_MS)
    const told = Object.entries(codes).map(([code, times]) => `${code}: ${times}`)
    return { seen, codes: told.join(', ') }
  } finally {
    await Promise.all([attacker.stop(), bystander.stop()])
    await system.stop()
  }
}

async function addDevice(port: number, secret: string): Promise<string> {
  const mutation = `mutation { createDevice(input: { name: "bystander-${Date.now()}" }) { id } }`
  const { body } = await call(port, secret, mutation)
  const id = /"id":"(?<id>[^"]+)"/.exec(body)?.groups?.['id']
  if (id === undefined) throw new Error(`A device was not created: ${body.slice(0, 300)}`)
  return id
}

async function addWebhooks(port: number, secret: string, receiver: Server): Promise<void> {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const listed = await call(port, secret, '{ webhooks { id } }')
  const existing = listed.body.match(/"id":/g)?.length ?? 0
  for (let i = existing; i < WEBHOOKS; i++) {
    const { body } = await call(
      port,
      secret,
      `mutation { createWebhook(input: { url: "${url}", events: ${EVENTS} }) { secret } }`,
    )
    if (!body.includes('"whsec_')) throw new Error(`A webhook was not created: ${body.slice(0, 300)}`)
  }
}
