import { expect } from 'vitest'
import {
  type BulkField,
  bulk,
  countedDevices,
  deviceEvents,
  type ItemResult,
  inShort,
  numbered,
  storedDevices,
} from '../../test/support/world/bulk.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'

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

/** For each mutation an item that can be done, and one that is refused: by its input alone, or by what is stored. */
const ONE_REFUSED: [BulkField, code: string, (ids: { id: string }[]) => [done: object, refused: object]][] = [
  ['createDevices', 'BAD_USER_INPUT', () => [{ name: 'new' }, { name: ' ' }]],
  ['createDevices', 'CONFLICT', () => [{ name: 'new' }, { name: 'a' }]],
  ['upsertDevices', 'BAD_USER_INPUT', () => [{ name: 'a', description: 'new' }, { name: ' ' }]],
  [
    'updateDevices',
    'BAD_USER_INPUT',
    ([a, b]) => [
      { ...a, name: 'new' },
      { ...b, name: ' ' },
    ],
  ],
  [
    'updateDevices',
    'CONFLICT',
    ([a, b]) => [
      { ...a, name: 'new' },
      { ...b, name: 'c' },
    ],
  ],
  [
    'updateDevices',
    'NOT_FOUND',
    ([a]) => [
      { ...a, name: 'new' },
      { id: 'x', name: 'other' },
    ],
  ],
  [
    'checkInDevices',
    'BAD_USER_INPUT',
    ([a, b]) => [
      { ...a, firmwareVersion: '2' },
      { ...b, firmwareVersion: '' },
    ],
  ],
  ['checkInDevices', 'NOT_FOUND', ([a]) => [{ ...a, firmwareVersion: '2' }, { id: 'x' }]],
  ['deleteDevices', 'NOT_FOUND', ([a]) => [{ ...a }, { id: 'x' }]],
]

it.for(ONE_REFUSED)(
  'one transaction of %s does nothing if a single item is refused with %s, be it the first or the last',
  async ([field, code, itemsOf], { world, acme, call }) => {
    const created = await bulk(call, 'createDevices', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
    const stored = () =>
      Promise.all([storedDevices(world, acme.id), countedDevices(world, acme.id), deviceEvents(world, acme.id)])
    const before = await stored()
    const items = itemsOf(created.map(({ device }) => ({ id: device?.id ?? '' })))
    const codesOf = (results: ItemResult[]) => results.map(({ error }) => error?.code)
    expect(codesOf(await bulk(call, field, items))).toEqual(['NOT_APPLIED', code])
    expect(codesOf(await bulk(call, field, items.toReversed(), true))).toEqual([code, 'NOT_APPLIED'])
    expect(await stored()).toEqual(before)
    expect(codesOf(await bulk(call, field, items.slice(0, 1)))).toEqual([undefined])
    expect(await stored()).not.toEqual(before)
  },
)
