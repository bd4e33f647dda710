import { describe, expect } from 'vitest'
import { countCalls } from '../../test/support/world/count-calls.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { keyRow, makeOlder } from '../../test/support/world/inserted-keys.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { startWorld, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { DAY, HOUR } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'

const ATTENTION = `{ overview { attention {
  kind count
  apiKeys { apiKey { label } refusedCalls suggestedAccess }
  devices { name }
  webhooks { id }
} } }`

interface Attention {
  kind: string
  count: number
  apiKeys: { apiKey: { label: string }; refusedCalls: number | null; suggestedAccess: string | null }[]
  devices: { name: string }[]
  webhooks: { id: string }[]
}

const it = inOrganization(startWorld)

const attentionOf = async ({ call }: Pick<TestOrganization, 'call'>) =>
  fieldOf<{ attention: Attention[] }>(await call(ATTENTION)).attention
const kinds = async (caller: Pick<TestOrganization, 'call'>) => (await attentionOf(caller)).map(({ kind }) => kind)
const labels = (found: Attention | undefined) => found?.apiKeys.map(({ apiKey }) => apiKey.label)

const write = ({ database }: World, work: Parameters<typeof database.transaction>[0]) => database.transaction(work)

/** As if so many calls had been accepted and refused then. */
const counted = (world: World, keyId: string, at: number, calls: number, errors: number) => {
  const seen = JSON.stringify({ addresses: [], agents: [], operations: [], fields: [] })
  const row = { keyId, hour: at - (at % HOUR), writer: newId(at), calls, errors, seen }
  return write(world, (db) => db.insertInto('apiKeyUsage').values(row).execute())
}

async function addDevices(world: World, { id: organizationId }: TestOrganization, seen: Record<string, number | null>) {
  const now = world.clock.now()
  const rows = Object.entries(seen).map(([name, lastSeenAt]) => ({
    ...{ id: newId(now), organizationId, name, nameKey: name, tags: '[]', createdAt: now, updatedAt: now },
    enabled: name.startsWith('disabled') ? (0 as const) : (1 as const),
    lastSeenAt,
  }))
  await write(world, (db) => db.insertInto('device').values(rows).execute())
}

it('a new organization needs none', async ({ acme }) => {
  expect(await attentionOf(acme)).toEqual([])
})

describe('keys', () => {
  it('that expire or are unused are counted as their states say, those first that need it most', async ({
    world,
    acme,
  }) => {
    const now = world.clock.now()
    const given = { organizationId: acme.id, createdAt: now - 200 * DAY, expiresAt: null }
    const used = { lastUsedAt: now - HOUR }
    const keys = [
      { ...keyRow({ ...given, label: 'fine' }), ...used },
      ...[3, 1, 2].map((days) => ({
        ...keyRow({ ...given, label: `${days} d`, expiresAt: now + days * DAY }),
        ...used,
      })),
      { ...keyRow({ ...given, label: 'replaced', expiresAt: now + DAY }), ...used, replacedById: 'x' },
      keyRow({ ...given, label: 'never used' }),
      ...Array.from({ length: 6 }, (_, i) => ({
        ...keyRow({ ...given, label: `unused ${i}` }),
        lastUsedAt: now - (190 - i) * DAY,
      })),
    ]
    await write(world, (db) => db.insertInto('apiKey').values(keys).execute())
    const [expiring, unused, ...others] = await attentionOf(acme)
    expect(others).toEqual([])
    expect(expiring).toMatchObject({ kind: 'API_KEY_EXPIRING', count: 3 })
    expect(labels(expiring)).toEqual(['1 d', '2 d', '3 d'])
    expect(unused).toMatchObject({ kind: 'API_KEY_UNUSED', count: 7 })
    expect(labels(unused)).toEqual(['never used', 'unused 0', 'unused 1', 'unused 2', 'unused 3'])
  })

  it('that were refused ten times since yesterday, in a tenth of their calls, unless they are paused', async ({
    world,
    acme,
  }) => {
    const now = world.clock.now()
    const yesterday = now - (now % DAY) - DAY
    const made = async (label: string, at: number, calls: number, errors: number) => {
      const { id } = await acme.generateKey({ label })
      await counted(world, id, at, calls, errors)
      return id
    }
    await made('few', now, 0, 9)
    await made('often', yesterday, 90, 10)
    await made('always', now, 0, 1000)
    await made('seldom', now, 91, 10)
    await made('before', yesterday - HOUR, 0, 1000)
    const paused = await made('paused', now, 0, 1000)
    await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', { id: paused })
    const [refused, ...others] = await attentionOf(acme)
    expect(others).toEqual([])
    expect(refused).toMatchObject({ kind: 'API_KEY_REFUSED', count: 2 })
    expect(refused?.apiKeys).toMatchObject([
      { apiKey: { label: 'always' }, refusedCalls: 1000, suggestedAccess: null },
      { apiKey: { label: 'often' }, refusedCalls: 10 },
    ])
  })

  it('that may do more than they do are named with the access that they need, those with the most calls first, until they have it', async ({
    world,
    acme,
  }) => {
    const [broad, busier] = [await acme.generateKey({ label: 'broad' }), await acme.generateKey({ label: 'busier' })]
    const fitting = await acme.generateKey({ label: 'fitting', access: 'READ_ONLY' })
    const ids = [broad.id, fitting.id, busier.id]
    const createdAt = world.clock.now() - 20 * DAY
    await write(world, (db) => db.updateTable('apiKey').set({ createdAt }).where('id', 'in', ids).execute())
    await countCalls(world.database, [...ids, busier.id], { at: world.clock.now() - HOUR, fields: ['devices'] })
    const apiKeys = ['busier', 'broad'].map((label) => ({ apiKey: { label }, suggestedAccess: 'READ_ONLY' }))
    await expect.poll(() => attentionOf(acme)).toMatchObject([{ kind: 'API_KEY_TOO_BROAD', count: 2, apiKeys }])
    for (const { id } of [broad, busier])
      await acme.call('mutation ($id: ID!) { updateApiKey(id: $id, input: { access: READ_ONLY }) { id } }', { id })
    expect(await attentionOf(acme)).toEqual([])
  })
})

it('enabled devices are offline for long between a day and 30 days after their last check-in', async ({
  world,
  acme,
}) => {
  const now = world.clock.now()
  await addDevices(world, acme, {
    ...{ online: now, 'just away': now - DAY, 'given up': now - 30 * DAY - 1, never: null },
    ...{ 'disabled and away': now - 2 * DAY, away: now - DAY - 1, 'long away': now - 30 * DAY },
  })
  expect(await attentionOf(acme)).toMatchObject([
    { kind: 'DEVICE_OFFLINE', count: 2, devices: [{ name: 'away' }, { name: 'long away' }] },
  ])
})

it('webhooks that the portal has paused, not those that somebody disabled', async ({ world, acme }) => {
  const webhooks = webhooksAs(acme.call)
  const [paused, disabled] = [await webhooks.create(), await webhooks.create()]
  await webhooks.update(disabled.webhook.id, { enabled: false })
  const { id } = paused.webhook
  const unreachable = { enabled: 0, pausedReason: 'It cannot be reached.' } as const
  await write(world, (db) => db.updateTable('webhook').set(unreachable).where('id', '=', id).execute())
  expect(await attentionOf(acme)).toMatchObject([{ kind: 'WEBHOOK_PAUSED', count: 1, webhooks: [{ id }] }])
})

it('an Admin sees all of it, a narrowed key no webhooks, a Member devices alone, another organization nothing', async ({
  world,
  ada,
  acme,
  bob,
}) => {
  const expiresAt = new Date(world.clock.now() + DAY)
  const { id, secret } = await acme.generateKey({ access: 'READ_ONLY', expiresAt })
  await makeOlder(world, { id }, 30)
  const full = await acme.generateKey()
  const { webhook } = await webhooksAs(acme.call).create()
  const paused = { enabled: 0, pausedReason: 'It cannot be reached.' } as const
  await write(world, (db) => db.updateTable('webhook').set(paused).where('id', '=', webhook.id).execute())
  await addDevices(world, acme, { away: world.clock.now() - 2 * DAY })
  const all = ['WEBHOOK_PAUSED', 'API_KEY_EXPIRING', 'DEVICE_OFFLINE']
  expect(await kinds(acme)).toEqual(all)
  expect(await kinds(world.asKey(full.secret))).toEqual(all)
  expect(await kinds(world.asKey(secret))).toEqual(all.slice(1))
  expect(await kinds({ call: (query, variables) => bob.call(query, variables, acme.slug) })).toEqual(['DEVICE_OFFLINE'])
  expect(await kinds(await world.organization('Other', { admin: ada }))).toEqual([])
})
