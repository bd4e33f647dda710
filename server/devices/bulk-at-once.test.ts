import { expect } from 'vitest'
import { bulk, countedDevices, deviceEvents, inShort, numbered, storedDevices } from '../../test/support/bulk.ts'
import { inOrganization } from '../../test/support/fixtures.ts'
import { startWorld } from '../../test/support/world.ts'

const it = inOrganization(startWorld).extend('call', ({ world, key }) => world.asKey(key.secret).call)

const INPUTS = numbered(150)
const NAMES = INPUTS.map(({ name }) => name)

it.for([true, false])(
  'the same new names at once, in opposite orders, atomic %s: each device is added once',
  async (atomic, { world, acme, call }) => {
    const answers = await Promise.all([
      bulk(call, 'createDevices', INPUTS, atomic),
      bulk(call, 'createDevices', INPUTS.toReversed(), atomic),
    ])
    const created = answers.flat().flatMap(({ device }) => device?.name ?? [])
    expect(created.sort()).toEqual(NAMES)
    const refused = answers.flat().filter(({ error }) => error !== null)
    expect(new Set(refused.map(({ error }) => error?.code))).toEqual(new Set(['CONFLICT']))
    expect((await storedDevices(world, acme.id)).map(({ name }) => name)).toEqual(NAMES)
    expect(await countedDevices(world, acme.id)).toBe(INPUTS.length)
    expect(await deviceEvents(world, acme.id)).toHaveLength(INPUTS.length)
  },
)

it('the same devices upserted, changed, checked in and deleted at once: no deadlock, and nothing is counted twice', async ({
  world,
  acme,
  call,
}) => {
  const created = await bulk(call, 'createDevices', INPUTS)
  const ids = created.map(({ device }) => ({ id: device?.id ?? '' }))
  const tagged = (tag: string) => ids.map((id) => ({ ...id, tags: [tag] }))
  const results = await Promise.all([
    bulk(call, 'updateDevices', tagged('a')),
    bulk(call, 'updateDevices', tagged('b').reverse()),
    bulk(call, 'checkInDevices', ids.toReversed()),
    bulk(call, 'upsertDevices', INPUTS.map((input) => ({ ...input, description: 'x' })).reverse()),
  ])
  for (const each of results) expect(inShort(each).toSorted()).toEqual(NAMES)
  const stored = await storedDevices(world, acme.id)
  expect(
    new Set(stored.map(({ tags, lastSeenAt, description }) => `${tags} ${lastSeenAt !== null} ${description}`)).size,
  ).toBe(1)
  const deleted = await Promise.all([
    bulk(call, 'deleteDevices', ids, false),
    bulk(call, 'deleteDevices', ids.toReversed(), false),
  ])
  expect(deleted.flat().filter(({ device }) => device !== null)).toHaveLength(INPUTS.length)
  expect(await countedDevices(world, acme.id)).toBe(0)
})

it('the same new name at once for two devices: one of them gets it', async ({ call }) => {
  const [a, b] = await bulk(call, 'createDevices', [{ name: 'a' }, { name: 'b' }])
  const answers = await Promise.all(
    [a, b].map((each) => bulk(call, 'updateDevices', [{ id: each?.device?.id, name: 'c' }])),
  )
  expect(answers.flatMap(inShort).sort()).toEqual(['CONFLICT name', 'c'])
})
