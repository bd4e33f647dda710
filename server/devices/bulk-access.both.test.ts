import { afterEach, describe, expect, vi } from 'vitest'
import {
  BULK_FIELDS,
  bulk,
  bulkDocument,
  deviceEvents,
  inShort,
  numbered,
  storedDevices,
} from '../../test/support/world/bulk.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf } from '../../test/support/world/people.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import type { Database } from '../db/database.ts'

const it = inOrganization(startWorld).extend('call', ({ world, key }) => world.asKey(key.secret).call)

afterEach(() => vi.restoreAllMocks())

const anInput = (field: (typeof BULK_FIELDS)[number], id: string) =>
  field === 'createDevices' || field === 'upsertDevices' ? { name: 'new' } : { id }

const firstId = async (call: Parameters<typeof bulk>[0]) =>
  (await bulk(call, 'createDevices', [{ name: 'there' }]))[0]?.device?.id ?? ''

describe.each(BULK_FIELDS)('%s', (field) => {
  it('is for an Admin or a key that writes devices: a Member and a key that reads are refused', async ({
    world,
    acme,
    bob,
    call,
  }) => {
    const id = await firstId(call)
    const variables = { inputs: [anInput(field, id)] }
    const reader = await acme.generateKey({ access: 'READ_ONLY' })
    const before = await storedDevices(world, acme.id)
    expect(codesOf(await bob.call(bulkDocument(field), variables, acme.slug))).toEqual(['FORBIDDEN'])
    expect(codesOf(await world.asKey(reader.secret).call(bulkDocument(field), variables))).toEqual(['FORBIDDEN'])
    expect(await storedDevices(world, acme.id)).toEqual(before)
    const writer = await acme.generateKey({ access: 'DEVICES' })
    const name = 'name' in anInput(field, id) ? 'new' : 'there'
    expect(inShort(await bulk(world.asKey(writer.secret).call, field, variables.inputs))).toEqual([name])
  })
})

describe('a key with the access CHECK_IN', () => {
  it('checks devices in, and does nothing else with them', async ({ world, acme, call }) => {
    const id = await firstId(call)
    const { secret } = await acme.generateKey({ access: 'CHECK_IN' })
    for (const field of BULK_FIELDS) {
      const { errors, data } = await world.asKey(secret).call(bulkDocument(field), { inputs: [anInput(field, id)] })
      if (field === 'checkInDevices') expect(data).toMatchObject({ checkInDevices: { results: [{ device: { id } }] } })
      else expect(errors.map(({ code }) => code)).toEqual(['FORBIDDEN'])
    }
  })

  it('bound to one device, checks in no other, whether that exists or not', async ({ world, acme, call }) => {
    const [own, other] = await bulk(call, 'createDevices', [{ name: 'own' }, { name: 'other' }])
    const { secret } = await acme.generateKey({ access: 'CHECK_IN', deviceId: own?.device?.id })
    const bound = world.asKey(secret).call
    const inputs = [own?.device?.id, other?.device?.id, 'x'].map((id) => ({ id }))
    expect(inShort(await bulk(bound, 'checkInDevices', inputs))).toEqual(['NOT_APPLIED', 'FORBIDDEN', 'FORBIDDEN'])
    expect(inShort(await bulk(bound, 'checkInDevices', inputs, false))).toEqual(['own', 'FORBIDDEN', 'FORBIDDEN'])
    const seen = (await storedDevices(world, acme.id)).map(({ name, lastSeenAt }) => [name, lastSeenAt !== null])
    expect(seen).toEqual([
      ['other', false],
      ['own', true],
    ])
  })
})

/** Does something right before the transaction of this number for the organization begins. */
function beforeTransaction(world: World, organizationId: string, number: number, work: () => Promise<unknown>): void {
  const { database } = world
  const begin = database.transaction.bind(database)
  let begun = 0
  const first: Database['transaction'] = async (inside, options) => {
    if (options?.organizationId === organizationId && ++begun === number) await work()
    return begin(inside, options)
  }
  vi.spyOn(database, 'transaction').mockImplementation(first)
}

describe('a key that is revoked or paused while a call for many is in progress', () => {
  const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
  const PAUSE = 'mutation ($id: ID!) { pauseApiKey(id: $id) { id } }'

  it.for([
    ['revoked', REVOKE, 'API_KEY_INVALID'],
    ['paused', PAUSE, 'API_KEY_PAUSED'],
  ] as const)(
    '%s, item by item: what follows is refused, what was done stays',
    async ([_, change, code], { world, acme, key, call }) => {
      beforeTransaction(world, acme.id, 2, () => acme.call(change, { id: key.id }))
      const results = await bulk(call, 'createDevices', numbered(250), false)
      const names = numbered(250).map(({ name }) => name)
      expect(inShort(results)).toEqual([...names.slice(0, 50), ...Array(200).fill(code)])
      expect((await storedDevices(world, acme.id)).map(({ name }) => name)).toEqual(names.slice(0, 50))
      expect(await deviceEvents(world, acme.id)).toHaveLength(50)
    },
  )

  it('atomic, or before the first item: the whole call is refused', async ({ world, acme, key, call }) => {
    beforeTransaction(world, acme.id, 1, () => acme.call(REVOKE, { id: key.id }))
    const atomic = await call(bulkDocument('createDevices'), { inputs: numbered(250) })
    expect([atomic.data, codesOf(atomic)]).toEqual([{ createDevices: null }, ['API_KEY_INVALID']])
    expect(await storedDevices(world, acme.id)).toEqual([])
  })
})
