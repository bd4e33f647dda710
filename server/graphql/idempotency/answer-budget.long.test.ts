import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { byKey, byPerson, codesIn, newHeader } from '../../../test/support/world/keyed-calls.ts'
import { bytesBy, bytesOf, setBytes, useUp } from '../../../test/support/world/stored-bytes.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { LIMITS } from '../../config/limits.ts'
import { forgetPeriods } from '../../db/stored-bytes.ts'
import { DAY, HOUR } from '../../lib/clock.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'
const MAX = LIMITS.answer_bytes

const it = inOrganization(startWorld)
  .extend('asKey', ({ world, key }) => byKey(world, key.secret))
  .extend('asAda', ({ world, ada, acme }) => byPerson(world, ada, acme))
  .extend(
    'create',
    ({ asKey }) =>
      (name: string, headers = newHeader()) =>
        asKey({ query: CREATE, variables: { name } }, headers),
  )

describe('C20: the recorded answers of an organization are bounded in bytes', () => {
  it('what fits is recorded, and with one byte more nothing is done', async ({ world, acme, create, asKey }) => {
    const size = await bytesBy(world, acme.id, 'answer_bytes', () => create('edge-0'))
    expect(size).toBeGreaterThan(400)
    for (const [name, left, codes] of [
      ['edge-1', size + 1, []],
      ['edge-2', size, []],
      ['edge-3', size - 1, ['LIMIT_EXCEEDED']],
    ] as const) {
      await setBytes(world, acme.id, 'answer_bytes', MAX - left)
      expect(codesIn(await create(name))).toEqual(codes)
    }
    const { body } = await create('edge-4')
    expect(body.errors?.[0]?.message).toMatch(/64 MB of recorded answers.*without an Idempotency-Key/)
    expect(body.errors?.[0]?.extensions).toMatchObject({ limit: 'answer_bytes', maxBytes: MAX })
    const names = await asKey({ query: '{ devices { data { name } } }' })
    expect(names.body.data).toEqual({ devices: { data: [0, 1, 2].map((i) => ({ name: `edge-${i}` })) } })
    expect(codesIn(await asKey({ query: CREATE, variables: { name: 'edge-5' } }))).toEqual([])
  })

  it('an answer that was recorded before is repeated', async ({ world, acme, create }) => {
    const header = newHeader()
    const first = await create('edge-1', header)
    await useUp(world, acme.id)
    expect(await create('edge-1', header)).toEqual({ ...first, isReplayed: true })
  })

  it('revoking is done without a record when there is no room for one', async ({ world, acme, asAda }) => {
    const { id, secret } = await acme.generateKey()
    await useUp(world, acme.id)
    const query = 'mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }'
    const answer = await asAda({ query, variables: { id } }, newHeader())
    expect(answer.body).toEqual({ data: { revokeApiKey: { ids: [id] } } })
    expect(await world.accepts(secret)).toBe(false)
    expect(await bytesOf(world, acme.id, 'answer_bytes')).toBe(MAX)
  })

  it('pausing with an Idempotency-Key works then too', async ({ world, acme, asAda }) => {
    const { id, secret } = await acme.generateKey()
    await useUp(world, acme.id)
    const query = 'mutation ($id: ID!) { pauseApiKey(id: $id) { paused } }'
    expect(codesIn(await asAda({ query, variables: { id } }, newHeader()))).toEqual([])
    expect(await world.accepts(secret)).toBe(false)
  })

  it('the bytes are free again once the answers have expired, whichever process looks', async ({
    world,
    ada,
    acme,
  }) => {
    const { secret } = await world.generateKey(ada, acme)
    const create = (name: string) => byKey(world, secret)({ query: CREATE, variables: { name } }, newHeader())
    const forget = () =>
      Promise.all([1, 2].map(() => world.database.transaction((db) => forgetPeriods(db, world.clock.now()))))
    const early = await bytesBy(world, acme.id, 'answer_bytes', () => create('early'))
    world.clock.advance(HOUR)
    const late = await bytesBy(world, acme.id, 'answer_bytes', () => create('late'))
    world.clock.advance(DAY - 1)
    await forget()
    expect(await bytesOf(world, acme.id, 'answer_bytes')).toBe(early + late)
    world.clock.advance(1)
    await forget()
    expect(await bytesOf(world, acme.id, 'answer_bytes')).toBe(late)
    world.clock.advance(HOUR)
    await forget()
    expect(await bytesOf(world, acme.id, 'answer_bytes')).toBe(0)
  })
})
