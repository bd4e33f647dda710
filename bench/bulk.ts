import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { call } from './support/call.ts'
import type { Bench, Finding, Question } from './support/question.ts'
import { type Fleet, seedFleet } from './support/seed.ts'
import { summarize } from './support/statistics.ts'
import { type System, startPortal } from './support/system.ts'
import { withPostgresFleet } from './support/with-postgres.ts'

const DEVICES = 10_000
const ITEMS = 500
const SINGLE = 500
const KEYS = 10
const RESULTS = '{ results { device { id } error { code message field } } }'
const CREATE_MANY = `mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) ${RESULTS} }`
const CREATE_ONE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'

/** How long it takes to add many devices, with the limits of an installation and without, and what an item costs. */
export const bulk: Question = {
  id: 'bulk',
  asks: `${DEVICES.toLocaleString('en')} devices by one key, in calls of ${ITEMS}, one after the other`,
  async answer(bench) {
    const size = { keys: KEYS, devices: 100 }
    const sqlite = await measure('SQLite', bench, await seedFleet(size, bench.progress))
    const { findings, absent } = await withPostgresFleet(size, async (fleet, absent) => ({
      findings: fleet ? await measure('PostgreSQL', bench, fleet) : [],
      absent,
    }))
    return { findings: [...sqlite, ...findings], systems: [], absent }
  },
}

async function measure(name: string, { progress, effort }: Bench, fleet: Fleet): Promise<Finding[]> {
  const agent = new Agent({ keepAlive: true })
  const as = (rate: string) => startPortal(name, { ...fleet, settings: { ...fleet.settings, RATE_LIMIT: rate } })
  const rounds = Math.min(effort.rounds, 3)
  const seconds: Record<string, number[]> = { '100': [], off: [] }
  const [share, ofItem]: [number[], number[]] = [[], []]
  for (const rate of ['100', 'off']) {
    for (let round = 0; round < rounds; round++) {
      progress.say(`bulk · ${name} · RATE_LIMIT=${rate} · round ${round}`)
      const system = await as(rate) // each round with all of its allowance
      const { cpuMs, ms } = await timed(system, () => createMany(system, fleet, agent, `${rate}-${round}`))
      seconds[rate]?.push(ms / 1000)
      if (rate === 'off') {
        const single = await timed(system, () => createOneByOne(system, fleet, agent, `single-${round}`))
        ofItem.push((1000 * cpuMs) / DEVICES)
        share.push((100 * (cpuMs / DEVICES)) / (single.cpuMs / SINGLE))
      }
      await system.stop()
    }
  }
  agent.destroy()
  const what = `${name}, ${DEVICES.toLocaleString('en')} devices`
  return [
    {
      what: `${what}, with the default RATE_LIMIT`,
      value: summarize(seconds['100'] ?? []),
      unit: 's',
      budget: { atMost: 20 }, // what is stored takes points: docs/decisions/0064
    },
    { what: `${what}, without limits`, value: summarize(seconds['off'] ?? []), unit: 's' },
    { what: `${name}, CPU of an item`, value: summarize(ofItem), unit: 'µs' },
    { what: `${name}, CPU of an item against that of a createDevice`, value: summarize(share), unit: '%' },
  ]
}

async function timed(system: System, work: () => Promise<void>): Promise<{ ms: number; cpuMs: number }> {
  const [before, start] = [await system.usage(), performance.now()]
  await work()
  const ms = performance.now() - start
  return { ms, cpuMs: ((await system.usage()).cpuMicros - before.cpuMicros) / 1000 }
}

const inputOf = (run: string, i: number) => ({
  name: `edge-${run}-${String(i).padStart(6, '0')}`,
  tags: ['lte', 'indoor'],
  location: { name: 'Lyon', latitude: 45.7, longitude: 4.8 },
})

/** Waits for the time in Retry-After, as a client should. */
async function createMany({ port }: System, { secret }: Fleet, agent: Agent, run: string): Promise<void> {
  for (let at = 0; at < DEVICES; ) {
    const inputs = Array.from({ length: ITEMS }, (_, i) => inputOf(run, at + i))
    const { status, headers, body } = await call(port, secret, CREATE_MANY, agent, { inputs })
    if (status === 429) await pause(1000 * Number(headers['retry-after']))
    else if (!body.includes('"error":{') && body.includes('"results"')) at += ITEMS
    else throw new Error(`Devices were not created: ${body.slice(0, 300)}`)
  }
}

async function createOneByOne({ port }: System, { secret }: Fleet, agent: Agent, run: string): Promise<void> {
  for (let i = 0; i < SINGLE; i++) {
    const { body } = await call(port, secret, CREATE_ONE, agent, { input: inputOf(run, i) })
    if (!body.includes('"id"')) throw new Error(`A device was not created: ${body.slice(0, 300)}`)
  }
}
