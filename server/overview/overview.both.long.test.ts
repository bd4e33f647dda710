import { describe, expect, vi } from 'vitest'
import { countCalls } from '../../test/support/world/count-calls.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { keyRow } from '../../test/support/world/inserted-keys.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { partsOf } from '../lib/parts.ts'

const OVERVIEW = `{ overview {
  devices { total online offline neverSeen countedAt }
  apiKeys { active paused expiring expired unused lastUsedAt usage {
    days { at calls errors } busiest { apiKey { id } calls errors } countedAt
  } }
  auditEvents { subject }
} }`

interface Devices {
  total: number
  online: number | null
  offline: number | null
  neverSeen: number | null
  countedAt: string | null
}

interface Overview {
  devices: Devices
  apiKeys: {
    active: number
    paused: number
    expiring: number
    expired: number
    unused: number
    lastUsedAt: string | null
    usage: {
      days: { at: string; calls: number; errors: number }[]
      busiest: { apiKey: { id: string }; calls: number; errors: number }[]
      countedAt: string
    } | null
  } | null
  auditEvents: { subject: string }[] | null
}

const it = inOrganization(startWorld)

const iso = (at: number) => new Date(at).toISOString()
const overviewOf = async ({ call }: Pick<TestOrganization, 'call'>) => fieldOf<Overview>(await call(OVERVIEW))

async function addDevices(
  { database, clock }: World,
  { id }: TestOrganization,
  lastSeenAt: readonly (number | null)[],
): Promise<void> {
  const now = clock.now()
  const rows = lastSeenAt.map((seen, i) => ({
    id: newId(now),
    organizationId: id,
    name: `edge-${i}`,
    nameKey: `edge-${i}`,
    enabled: 1 as const,
    lastSeenAt: seen,
    tags: '[]',
    createdAt: now,
    updatedAt: now,
  }))
  await database.transaction(async (db) => {
    for (const part of partsOf(rows, 500)) await db.insertInto('device').values(part).execute()
    await db.insertInto('deviceCount').values({ organizationId: id, devices: rows.length }).execute()
  })
}

describe('devices', () => {
  it('a new organization has none', async ({ world, acme }) => {
    const countedAt = iso(world.clock.now())
    expect((await overviewOf(acme)).devices).toEqual({ total: 0, online: 0, offline: 0, neverSeen: 0, countedAt })
  })

  it('are counted by status, to the millisecond', async ({ world, acme }) => {
    const fiveMinutesAgo = world.clock.now() - 5 * MINUTE
    await addDevices(world, acme, [
      world.clock.now(),
      fiveMinutesAgo,
      fiveMinutesAgo - 1,
      fiveMinutesAgo - DAY,
      0,
      null,
    ])
    expect((await overviewOf(acme)).devices).toMatchObject({ total: 6, online: 2, offline: 3, neverSeen: 1 })
    world.clock.advance(1)
    expect((await overviewOf(acme)).devices).toMatchObject({ total: 6, online: 1, offline: 4, neverSeen: 1 })
  })

  it('agree with the lists that the numbers lead to', async ({ world, acme }) => {
    const now = world.clock.now()
    await addDevices(world, acme, [now, now, now - HOUR, null, null, null])
    const { online, offline, neverSeen } = (await overviewOf(acme)).devices
    const count = async (status: string) =>
      fieldOf<{ totalCount: number }>(await acme.call(`{ devices(filter: { status: ${status} }) { totalCount } }`))
        .totalCount
    expect({ online, offline, neverSeen }).toEqual({
      online: await count('ONLINE'),
      offline: await count('OFFLINE'),
      neverSeen: await count('NEVER_SEEN'),
    })
  })

  it('of a large organization are counted beside requests, once for all of them', async ({ world, acme }) => {
    const now = world.clock.now()
    await addDevices(
      world,
      acme,
      Array.from({ length: 5_001 }, (_, i) => [now, now - HOUR, null][i % 3] ?? null),
    )
    const heavyRead = vi.spyOn(world.database, 'heavyRead')
    await Promise.all(Array.from({ length: 20 }, () => overviewOf(acme)))
    const counted = { total: 5_001, online: 1_667, offline: 1_667, neverSeen: 1_667, countedAt: iso(now) }
    await expect.poll(async () => (await overviewOf(acme)).devices).toEqual(counted)
    expect(heavyRead).toHaveBeenCalledTimes(1)

    await acme.call('mutation { createDevice(input: { name: "one more" }) { id } }')
    expect((await overviewOf(acme)).devices).toEqual(counted)
    world.clock.advance(4 * MINUTE)
    const later = { ...counted, total: 5_002, neverSeen: 1_668, countedAt: iso(world.clock.now()) }
    await expect.poll(async () => (await overviewOf(acme)).devices).toEqual(later)
    expect(heavyRead).toHaveBeenCalledTimes(2)
    heavyRead.mockRestore()
  })
})

describe('keys', () => {
  it('are counted by state, to the millisecond', async ({ world, acme }) => {
    const now = world.clock.now()
    const given = { organizationId: acme.id, createdAt: now - 90 * DAY }
    const keys = [
      keyRow({ ...given, label: 'used', expiresAt: null }),
      keyRow({ ...given, label: 'expiring', createdAt: now - 40 * DAY, expiresAt: now + 10 * DAY }),
      keyRow({ ...given, label: 'expires later', expiresAt: now + 30 * DAY }),
      keyRow({ ...given, label: 'expired', expiresAt: now }),
      { ...keyRow({ ...given, label: 'paused', expiresAt: null }), pausedUntil: now + 1 },
      { ...keyRow({ ...given, label: 'was paused', expiresAt: null }), pausedUntil: now },
      { ...keyRow({ ...given, label: 'paused and expired', expiresAt: now }), pausedUntil: now + 1 },
      keyRow({ ...given, label: 'unused', createdAt: now - 90 * DAY - 1, expiresAt: null }),
    ].map((key) => (key.label === 'used' ? { ...key, lastUsedAt: now - HOUR } : key))
    await world.database.transaction((db) => db.insertInto('apiKey').values(keys).execute())
    expect((await overviewOf(acme)).apiKeys).toMatchObject({
      active: 6,
      paused: 1,
      expiring: 1,
      expired: 2,
      unused: 1,
      lastUsedAt: iso(now - HOUR),
    })
  })

  it('are added up by day, and the busiest come first, until they are revoked', async ({ world, acme }) => {
    const [quiet, busy] = [await acme.generateKey(), await acme.generateKey()]
    const now = world.clock.now()
    const today = now - (now % DAY)
    const monthAgo = today - 29 * DAY
    await countCalls(world.database, [quiet.id, busy.id], { at: now })
    await countCalls(world.database, [busy.id], { at: now - 2 * DAY })
    await countCalls(world.database, [busy.id], { at: monthAgo })
    await countCalls(world.database, [busy.id], { at: monthAgo - 1 })
    const usageOf = async () => (await overviewOf(acme)).apiKeys?.usage
    expect(await usageOf()).toEqual({
      days: [
        { at: iso(monthAgo), calls: 1, errors: 0 },
        { at: iso(today - 2 * DAY), calls: 1, errors: 0 },
        { at: iso(today), calls: 2, errors: 0 },
      ],
      busiest: [
        { apiKey: { id: busy.id }, calls: 3, errors: 0 },
        { apiKey: { id: quiet.id }, calls: 1, errors: 0 },
      ],
      countedAt: iso(now),
    })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: busy.id })
    expect((await usageOf())?.busiest).toEqual([{ apiKey: { id: quiet.id }, calls: 1, errors: 0 }])
  })

  it('if they are many, are added up beside requests, and a revoked one is left out at once', async ({
    world,
    acme,
  }) => {
    const keys = await Promise.all(Array.from({ length: 12 }, () => acme.generateKey()))
    const ids = keys.map(({ id }) => id).sort()
    await countCalls(world.database, ids, { at: world.clock.now() })
    const usageOf = async () => (await overviewOf(acme)).apiKeys?.usage
    await expect.poll(async () => (await usageOf())?.days).toMatchObject([{ calls: 12 }])
    expect((await usageOf())?.busiest.map(({ apiKey }) => apiKey.id)).toEqual(ids.slice(0, 5))
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: ids[0] })
    expect((await usageOf())?.busiest.map(({ apiKey }) => apiKey.id)).toEqual(ids.slice(1, 6))
    world.clock.advance(4 * MINUTE)
    await expect.poll(async () => (await usageOf())?.days).toMatchObject([{ calls: 11 }])
  })
})

describe('who sees what', () => {
  it('an Admin and a key see all of it, a Member the devices alone', async ({ world, acme, bob, key }) => {
    await acme.call('mutation { createDevice(input: { name: "press-7" }) { id } }')
    const [asAdmin, asKey, asMember] = [
      await overviewOf(acme),
      await overviewOf(world.asKey(key.secret)),
      await overviewOf({ call: (query, variables) => bob.call(query, variables, acme.slug) }),
    ]
    expect(asAdmin.apiKeys?.active).toBe(1)
    expect(asAdmin.auditEvents?.[0]).toEqual({ subject: 'press-7' })
    expect(asKey).toMatchObject({ devices: asAdmin.devices, auditEvents: asAdmin.auditEvents })
    expect(asMember).toEqual({ devices: asAdmin.devices, apiKeys: null, auditEvents: null })
  })

  it('of two organizations neither sees anything of the other', async ({ world, ada, acme }) => {
    await addDevices(world, acme, [world.clock.now(), null])
    await countCalls(world.database, [(await acme.generateKey()).id], { at: world.clock.now() })
    const other = await world.organization('Other', { admin: ada })
    const { devices, apiKeys, auditEvents } = await overviewOf(other)
    expect(devices).toMatchObject({ total: 0, online: 0, offline: 0, neverSeen: 0 })
    expect(apiKeys).toMatchObject({ active: 0, lastUsedAt: null, usage: { days: [], busiest: [] } })
    expect(auditEvents).toHaveLength(2) // created, and switched on
  })

  it('the last 8 events are shown, the newest first', async ({ acme }) => {
    for (let i = 0; i < 9; i++) await acme.call(`mutation { createDevice(input: { name: "edge-${i}" }) { id } }`)
    const subjects = (await overviewOf(acme)).auditEvents?.map(({ subject }) => subject)
    expect(subjects).toEqual([8, 7, 6, 5, 4, 3, 2, 1].map((i) => `edge-${i}`))
  })
})
