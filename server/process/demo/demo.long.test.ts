import { setTimeout as tick } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { inOwnWorld } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { CHEAPEST, startWorld, type World } from '../../../test/support/world/world.ts'
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { prepareFirstStart } from '../first-start.ts'
import { startDemoActivity } from './activity.ts'

const it = inOwnWorld(startWorld)
const WEEK = 7 * DAY

const OVERVIEW = `{ overview {
  devices { total online offline neverSeen }
  apiKeys { active paused expiring expired unused usage { days { calls errors } busiest { calls apiKey { label } } } }
} }`

interface Overview {
  devices: { total: number; online: number; offline: number; neverSeen: number }
  apiKeys: {
    active: number
    usage: { days: { calls: number; errors: number }[]; busiest: { calls: number; apiKey: { label: string } }[] }
  }
}

const depsOf = ({ config, database, clock }: World) => ({
  ...{ config, database, now: clock.now, log: createLog('silent'), webDir: undefined, passwordCost: CHEAPEST },
})

async function startDemo(world: World) {
  const first = await prepareFirstStart(depsOf(world), { demo: true })
  if (first.outcome !== 'created demo') throw new Error(first.outcome)
  const overview = async () => fieldOf<Overview>(await world.asKey(first.secret).call(OVERVIEW))
  return { ...first, overview, asDemo: world.asKey(first.secret).call }
}

/** Lets the devices of the demo check in once. */
async function checkIn(world: World): Promise<void> {
  await startDemoActivity(depsOf(world)).close()
}

it('the demo has devices of every status, keys of every state, people, and a month of usage', async ({ world }) => {
  const demo = await startDemo(world)
  await checkIn(world)
  const { devices, apiKeys } = await demo.overview()
  expect(devices.total).toBe(21)
  expect(devices.online).toBeGreaterThanOrEqual(12)
  expect(devices.offline).toBe(3)
  expect(devices.neverSeen).toBeGreaterThanOrEqual(3)
  expect(apiKeys).toMatchObject({ active: 7, paused: 1, expiring: 1, expired: 0, unused: 1 })
  expect(apiKeys.usage.days).toHaveLength(30)
  expect(apiKeys.usage.days.some(({ errors }) => errors > 0)).toBe(true)
  expect(apiKeys.usage.busiest[0]?.apiKey.label).toBe('site-devices')
  expect(fieldOf(await demo.asDemo('{ users { totalCount } }'))).toEqual({ totalCount: 4 })
})

it('the devices of the demo check in while it runs, and their calls are counted', async ({ world }) => {
  const demo = await startDemo(world)
  const callsOf = async () => (await demo.overview()).apiKeys.usage.busiest[0]?.calls ?? 0
  const before = await callsOf()
  world.clock.advance(HOUR)
  await checkIn(world)
  const { online } = (await demo.overview()).devices
  expect(online).toBeGreaterThanOrEqual(12)
  expect((await callsOf()) - before).toBe(online)
  world.clock.advance(6 * MINUTE)
  expect((await demo.overview()).devices.online).toBe(0)
})

it('a device of the demo has checked in on each of 30 days, and goes on at midnight', async ({ world }) => {
  const demo = await startDemo(world)
  const daysOf = async (name: string) => {
    const document = `{ devices(filter: { names: ["${name}"] }) { data { checkInDays { firstAt checkIns } } } }`
    const { data } = fieldOf<{ data: { checkInDays: { firstAt: string; checkIns: number }[] }[] }>(
      await demo.asDemo(document),
    )
    return data[0]?.checkInDays ?? []
  }
  await checkIn(world)
  const before = await daysOf('lyon-gateway')
  expect(before).toHaveLength(30)
  expect(before.at(-1)?.checkIns).toBe(1)
  expect(new Set((await daysOf('austin-display')).map(({ firstAt }) => firstAt.slice(0, 10))).size).toBe(
    (await daysOf('austin-display')).length,
  )
  world.clock.advance(DAY)
  await checkIn(world)
  expect(await daysOf('lyon-gateway')).toEqual([...before.slice(1), expect.objectContaining({ checkIns: 1 })])
})

const MONDAY = Date.UTC(2024, 0, 1, 15, 20)
const untilMondayAfternoon = (now: number) => WEEK - ((now - MONDAY) % WEEK)

interface KeyOfDemo {
  label: string
  recentUsage: { calls: number; errors: number }
  recentCalls: { accepted: { at: string; operation: string }[]; refused: { code: string; status: number }[] }
}

it('the last calls of the demo are on record as they are counted, also its own check-ins', async ({ world }) => {
  world.clock.advance(untilMondayAfternoon(world.clock.now())) // when every key has been used within a day
  const demo = await startDemo(world)
  const keys = async () =>
    fieldOf<{ data: KeyOfDemo[] }>(
      await demo.asDemo(`{ apiKeys(first: 10) { data { label recentUsage { calls errors }
        recentCalls { accepted { at operation } refused { code status } } } } }`),
    ).data.filter(({ label }) => label !== 'First key')
  for (const { recentUsage, recentCalls } of await keys()) {
    expect(recentCalls.accepted).toHaveLength(Math.min(recentUsage.calls, 100))
    expect(recentCalls.refused).toHaveLength(Math.min(recentUsage.errors, 100))
  }
  expect((await keys()).some(({ recentCalls }) => recentCalls.refused.length > 0)).toBe(true)
  await checkIn(world)
  const devices = (await keys()).find(({ label }) => label === 'site-devices')
  const newest = devices?.recentCalls.accepted[0]
  expect(newest).toEqual({ at: new Date(world.clock.now()).toISOString(), operation: 'checkInDevice' })
})

it('flaky devices come and go', async ({ world }) => {
  const demo = await startDemo(world)
  const counts = new Set<number>()
  for (let round = 0; round < 2; round++) {
    world.clock.advance(10 * MINUTE)
    await checkIn(world)
    counts.add((await demo.overview()).devices.online)
  }
  expect(counts.size).toBe(2)
})

it.for(['revokeApiKey(id: $id) { ids }', 'pauseApiKey(id: $id) { id }'])(
  'without their key the devices of the demo fall silent: %s',
  async (mutation, { world }) => {
    const demo = await startDemo(world)
    const { data } = fieldOf<{ data: { id: string; label: string }[] }>(
      await demo.asDemo('{ apiKeys { data { id label } } }'),
    )
    const id = data.find(({ label }) => label === 'site-devices')?.id
    expect((await demo.asDemo(`mutation ($id: ID!) { ${mutation} }`, { id })).errors).toEqual([])
    await checkIn(world)
    expect((await demo.overview()).devices.online).toBe(0)
  },
)

it('devices of others are never touched, not even in the organization of the demo', async ({ world }) => {
  const demo = await startDemo(world)
  const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
  const add = 'mutation { createDevice(input: { name: "real" }) { id } }'
  const real = [await acme.call(add), await demo.asDemo(add)].map((answer) => fieldOf<{ id: string }>(answer).id)
  world.clock.advance(HOUR)
  await checkIn(world)
  const rows = await world.database.read.selectFrom('device').select('lastSeenAt').where('id', 'in', real).execute()
  expect(rows).toEqual([{ lastSeenAt: null }, { lastSeenAt: null }])
})

it('stops when it is closed', async ({ world }) => {
  const demo = await startDemo(world)
  const activity = startDemoActivity(depsOf(world), 1)
  onTestFinished(activity.close)
  await expect.poll(async () => (await demo.overview()).devices.online).toBeGreaterThan(0)
  await activity.close()
  world.clock.advance(HOUR)
  for (let i = 0; i < 20; i++) await tick(1) // as often as it would have checked in
  expect((await demo.overview()).devices.online).toBe(0)
})
