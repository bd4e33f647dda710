import { Agent } from 'node:http'
import { call } from './call.ts'
import type { Query } from './message.ts'
import type { Bench, Finding } from './question.ts'
import { measure } from './rounds.ts'
import { type Fleet, seedFleet } from './seed.ts'
import { startStage } from './stage.ts'
import { summarize } from './statistics.ts'
import { type System, startPortal } from './system.ts'

const FLUSHES_MS = 16_000 // three times the interval between two writes of last-used times
const A_FEW_SECONDS = 3
const CHANGES = 1000

/** However often a key is used, its last use is written once every few seconds. */
export async function watchLastUsed({ fleet, generator, progress }: Bench): Promise<Finding[]> {
  const stage = await startStage('portal', fleet)
  progress.say('unseen · last-used times written under load')
  let requests = 0
  const writes = await stage.system.queriesDuring(async () => {
    ;({ requests } = await measure(stage, generator, FLUSHES_MS))
  }, 'writes')
  await stage.system.stop()
  const updates = writes.filter(({ sql }) => /^update "apiKey" set "lastUsedAt"/.test(sql))
  const pauses = pausesBetween(updates)
  if (pauses.length === 0) throw new Error('No last-used time was written twice.')
  return [
    {
      what: 'shortest pause between two writes of the last use of one key',
      value: summarize([Math.min(...pauses)]),
      unit: 's',
      budget: { atLeast: A_FEW_SECONDS },
    },
    {
      what: `writes of the last use for 1,000 calls, by ${fleet.secrets.length} keys`,
      value: summarize([(1000 * updates.length) / requests]),
      unit: 'queries',
    },
  ]
}

/** In seconds; the key is the third value of the statement. */
function pausesBetween(updates: Query[]): number[] {
  const last = new Map<string | number | undefined, number>()
  return updates.flatMap(({ parameters, toMs }) => {
    const [, , key] = parameters
    const before = last.get(key)
    last.set(key, toMs)
    return before === undefined ? [] : (toMs - before) / 1000
  })
}

/**
 * From the end of the statement before it to its own end, while nothing else runs: all that it takes in its
 * transaction.
 */
export async function timeAuditEvents({ progress }: Bench): Promise<Finding[]> {
  const fleet = await seedFleet({ keys: 10 }, progress)
  const system = await startPortal('portal', fleet)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  progress.say('unseen · changes and their audit events')
  const change = await changer(system, fleet, agent)
  await change(CHANGES)
  const before = await system.usage()
  await change(CHANGES)
  const cpuMicros = ((await system.usage()).cpuMicros - before.cpuMicros) / CHANGES
  const statements = await system.queriesDuring(() => change(CHANGES))
  agent.destroy()
  await system.stop()
  const micros = statements.flatMap(({ sql, toMs }, i) =>
    /^insert into "auditEvent"/.test(sql) ? (toMs - (statements[i - 1]?.toMs ?? Number.NaN)) * 1000 : [],
  )
  if (micros.length !== CHANGES) throw new Error(`${CHANGES} changes left ${micros.length} audit events behind.`)
  const shares = micros.map((time) => (100 * time) / cpuMicros)
  return [
    { what: 'the audit event of a change: CPU', value: summarize(micros), unit: 'µs' },
    {
      what: `the audit event of a change: share of its ${Math.round(cpuMicros)} µs`,
      value: summarize(shares),
      unit: '%',
    },
  ]
}

/** Changes a device this many times, to one description and back. */
async function changer({ port }: System, { secret }: Fleet, agent: Agent): Promise<(times: number) => Promise<void>> {
  const { body } = await call(port, secret, '{ devices(first: 1) { data { id } } }', agent)
  const answer: { data: { devices: { data: { id: string }[] } } } = JSON.parse(body)
  const id = answer.data.devices.data[0]?.id
  let changes = 0
  return async (times) => {
    for (let i = 0; i < times; i++) {
      const input = `{ description: "${changes++ % 2 === 0 ? 'this' : 'that'}" }`
      const { body } = await call(port, secret, `mutation { updateDevice(id: "${id}", input: ${input}) { id } }`, agent)
      if (body !== `{"data":{"updateDevice":{"id":"${id}"}}}`) throw new Error(`A device was not changed: ${body}`)
    }
  }
}
