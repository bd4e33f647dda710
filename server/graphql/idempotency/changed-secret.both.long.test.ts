import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { byKey, codesIn, dataOf, type KeyedAnswer, newHeader } from '../../../test/support/world/keyed-calls.ts'
import { PATIENT, untilItWaits } from '../../../test/support/world/waiting.ts'
import { startWorld, type World } from '../../../test/support/world/world.ts'
import { forUpdate } from '../../db/locks.ts'
import { DAY } from '../../lib/clock.ts'

const ORDER = { 'idempotency-key': 'order-2026-11-18-1' }

const it = inOrganization(() => startWorld({ timeouts: PATIENT })).extend(
  'changed',
  async ({ world }, { onCleanup }) => {
    const env = { PORTAL_SECRET: 'another secret, of 32 characters or more' }
    const changed = await startWorld({ beside: world, env, now: world.clock.now, timeouts: PATIENT })
    onCleanup(changed.close)
    return changed
  },
)

const create = (name: string) => ({ query: `mutation { createDevice(input: { name: "${name}" }) { id name } }` })

const devicesOf = ({ database }: World, { id }: { id: string }) =>
  database.read.selectFrom('device').select('name').where('organizationId', '=', id).execute()

function expectUnknown(answer: KeyedAnswer): void {
  expect([answer.status, codesIn(answer), answer.isReplayed]).toEqual([409, ['CONFLICT'], false])
  const [error] = answer.body.errors ?? []
  expect(error?.message).toContain('PORTAL_SECRET has changed')
  expect(error?.extensions['field']).toBe('Idempotency-Key')
}

describe('once PORTAL_SECRET has changed', () => {
  it('nothing is done that may have been done before, for 24 hours', async ({ world, changed, acme, key }) => {
    const [withOld, withNew] = [byKey(world, key.secret), byKey(changed, key.secret)]
    const first = await withOld(create('edge'), ORDER)
    expectUnknown(await withNew(create('edge'), ORDER))
    expectUnknown(await withNew(create('other'), newHeader()))
    expect(await devicesOf(world, acme)).toEqual([{ name: 'edge' }])
    expect(await withOld(create('edge'), ORDER)).toEqual({ ...first, isReplayed: true })
    world.clock.advance(DAY - 1)
    expectUnknown(await withNew(create('later'), ORDER))
    world.clock.advance(1)
    expect(dataOf(await withNew(create('later'), ORDER))).toMatchObject({ name: 'later' })
  })

  it('other callers, requests without the header and what takes access away go on', async ({
    world,
    changed,
    acme,
  }) => {
    const [one, other] = [await acme.generateKey(), await acme.generateKey()]
    const withNew = byKey(changed, one.secret)
    await byKey(world, one.secret)(create('edge'), ORDER)
    expect(codesIn(await withNew(create('plain')))).toEqual([])
    expect(codesIn(await byKey(changed, other.secret)(create('by-other'), ORDER))).toEqual([])
    expectUnknown(await byKey(world, other.secret)(create('by-other'), ORDER)) // either secret knows the other's records
    const revoke = { query: 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', variables: { id: other.id } }
    const revoked = await withNew(revoke, newHeader())
    expect(revoked.body.data).toEqual({ revokeApiKey: { ids: [other.id] } })
    expect(await world.accepts(other.secret)).toBe(false)
  })

  it('two replicas with different secrets do what was sent to both at once for one of them', async ({
    world,
    changed,
    acme,
    key,
  }) => {
    const { done } = await world.database.transaction(async (db) => {
      await forUpdate(db, db.selectFrom('organization').select('id').where('id', '=', acme.id)).execute()
      const send = () => Promise.all([world, changed].map((at) => byKey(at, key.secret)(create('at-once'), ORDER)))
      return untilItWaits(world, send, { oneOf: 2 })
    })
    const answers = (await done).toSorted((a, b) => a.status - b.status)
    expect(answers.map(({ status }) => status)).toEqual([200, 409])
    answers.slice(1).forEach(expectUnknown)
    expect(await devicesOf(world, acme)).toEqual([{ name: 'at-once' }])
  })
})

it('an answer that was changed in the database is not shown, and nothing is done again', async ({
  world,
  acme,
  key,
}) => {
  const send = byKey(world, key.secret)
  const other = newHeader()
  await send(create('edge'), ORDER)
  await send(create('other'), other)
  const records = world.database.read.selectFrom('idempotencyRecord').select(['id', 'answer'])
  const [one, two] = await records.where('callerId', '=', key.id).orderBy('id').execute()
  if (!one || !two) throw new Error('Two requests, two records.')
  await world.database.transaction((db) =>
    db.updateTable('idempotencyRecord').set({ answer: two.answer }).where('id', '=', one.id).execute(),
  )
  expectUnknown(await send(create('edge'), ORDER))
  expect((await send(create('other'), other)).isReplayed).toBe(true)
  expect(await devicesOf(world, acme)).toHaveLength(2)
})
