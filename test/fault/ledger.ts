import { setTimeout as pause } from 'node:timers/promises'
import type { Client, Request } from './client.ts'
import type { Organization } from './cluster.ts'
import { type Key, newDevice, READ, type Recorder } from './operations.ts'
import { oneOf, type Random } from './random.ts'
import type { Replica } from './replica.ts'

const DEVICES = '{ devices(first: 500) { data { name } } }'
const CERTAIN_WITHIN_MS = 60_000
const AGAIN_AFTER_MS = 20
const FIRST_STEPS = ['generate', 'create'] as const
const LATER_STEPS = ['generate', 'revoke', 'create'] as const

/** What was written in one organization, as far as it was answered. What became of keys stands in the history. */
export interface Ledger {
  owner: Organization
  keys: Key[]
  devices: string[]
}

type At = { client: Client<Replica>; record: Recorder; random: Random }

/** Generates, revokes and creates until it is over or something is not answered; `onAnswer` is told of each answer. */
export async function writeOn(at: At, ledger: Ledger, isOver: () => boolean, onAnswer: () => void): Promise<void> {
  const { client, record, random } = at
  const own: Key[] = []
  const steps = {
    async generate(replica: Replica) {
      const key = await record.generate(client, replica, ledger.owner)
      if (key) own.push(key)
      if (key) ledger.keys.push(key)
      return key !== undefined
    },
    async revoke(replica: Replica) {
      const [key] = own.splice(0, 1)
      return key !== undefined && record.revoke(client, replica, key)
    },
    async create(replica: Replica) {
      const device = newDevice()
      const { verdict } = await client.send(replica, { secret: ledger.owner.secret, ...device })
      if (verdict === 'accepted') ledger.devices.push(device.variables.name)
      return verdict === 'accepted'
    },
  }
  while (!isOver()) {
    const replica = client.pick()
    const next = oneOf(random, own.length === 0 ? FIRST_STEPS : LATER_STEPS)
    if (!replica || !(await steps[next](replica))) return
    onAnswer()
  }
}

/** Asks for all of it: keys by a call each, which the history is judged by; gives the devices that are not there. */
export async function lookAgain(at: At, { owner, keys, devices }: Ledger): Promise<string[]> {
  for (const key of keys) {
    await certainly(at, (replica) => at.record.call(at.client, replica, key, READ))
  }
  const request: Request = { secret: owner.secret, query: DEVICES }
  const { data } = await certainly(at, (replica) => at.client.send(replica, request))
  const listed = data as { devices: { data: { name: string }[] } } // as DEVICES asks for it
  const there = new Set(listed.devices.data.map(({ name }) => name))
  return devices.filter((name) => !there.has(name)).map((name) => `${name} was answered, and is not there`)
}

/** Again until there is an answer: after a restart the first ones may be 503. */
async function certainly<Result extends { verdict: string }>(
  { client }: At,
  ask: (replica: Replica) => Promise<Result>,
): Promise<Result> {
  for (const start = performance.now(); performance.now() - start < CERTAIN_WITHIN_MS; ) {
    const replica = client.pick()
    const outcome = replica && (await ask(replica))
    if (outcome && outcome.verdict !== 'unknown') return outcome
    await pause(AGAIN_AFTER_MS)
  }
  throw new Error('There is no answer, though everything is running again.')
}
