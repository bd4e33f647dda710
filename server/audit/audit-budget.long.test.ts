import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf } from '../../test/support/world/people.ts'
import { bytesBy, bytesOf, setBytes, useUp } from '../../test/support/world/stored-bytes.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'
import { DAY } from '../lib/clock.ts'

const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }'
const MANY =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { error { code } } } }'
const AUDIT = 'audit_bytes_a_day'
const MAX = LIMITS.audit_bytes_a_day

const it = inOrganization(startWorld)

describe('C20: the audit log of a day is bounded in bytes', () => {
  it('what fits is stored, and with one byte more nothing is done, and the answer says what to do', async ({
    world,
    acme,
  }) => {
    const size = await bytesBy(world, acme.id, AUDIT, () => acme.call(CREATE, { name: 'edge-0' }))
    await setBytes(world, acme.id, AUDIT, MAX - size - 1)
    expect(codesOf(await acme.call(CREATE, { name: 'edge-1' }))).toEqual([])
    await setBytes(world, acme.id, AUDIT, MAX - size)
    expect(codesOf(await acme.call(CREATE, { name: 'edge-2' }))).toEqual([])
    await setBytes(world, acme.id, AUDIT, MAX - size + 1)
    const { errors } = await acme.call(CREATE, { name: 'edge-3' })
    const message = expect.stringMatching(/^Nothing was done\. This organization has used its 256 MB of audit log/)
    expect(errors).toEqual([expect.objectContaining({ code: 'LIMIT_EXCEEDED', message })])
    const { data } = await acme.call('{ devices { data { name } } }')
    expect(data).toEqual({ devices: { data: ['edge-0', 'edge-1', 'edge-2'].map((name) => ({ name })) } })
    expect(await bytesOf(world, acme.id, AUDIT)).toBe(MAX - size + 1)
  })

  it('at once, no more is stored than one after the other', async ({ world, acme }) => {
    const size = await bytesBy(world, acme.id, AUDIT, () => acme.call(CREATE, { name: 'edge-0' }))
    await setBytes(world, acme.id, AUDIT, MAX - 3 * size)
    const beside = await startWorld({ beside: world, now: world.clock.now })
    try {
      const { secret } = await acme.generateKey().catch(() => ({ secret: '' })) // it is larger: it may not fit
      expect(secret).not.toBe('')
      await setBytes(world, acme.id, AUDIT, MAX - 3 * size)
      const calls = Array.from({ length: 10 }, (_, i) =>
        (i % 2 === 0 ? world : beside).asKey(secret).call(CREATE, { name: `both-${i}` }),
      )
      const codes = (await Promise.all(calls)).flatMap(codesOf)
      expect(await bytesOf(world, acme.id, AUDIT)).toBeLessThanOrEqual(MAX)
      expect(codes).toEqual(Array(codes.length).fill('LIMIT_EXCEEDED'))
      expect([7, 8]).toContain(codes.length)
    } finally {
      await beside.close()
    }
  })

  it('a mutation for many that does not fit is not done', async ({ world, acme }) => {
    await setBytes(world, acme.id, AUDIT, MAX - 1000)
    const inputs = Array.from({ length: 20 }, (_, i) => ({ name: `edge-${i}` }))
    expect(codesOf(await acme.call(MANY, { inputs }))).toEqual(['LIMIT_EXCEEDED'])
    expect((await acme.call('{ devices { totalCount } }')).data).toEqual({ devices: { totalCount: 0 } })
  })

  it('another organization has its own, and there is a new one at midnight UTC', async ({ world, ada, acme, key }) => {
    const other = await world.organization('Other', { admin: ada })
    await useUp(world, acme.id)
    const { call } = world.asKey(key.secret)
    expect(codesOf(await other.call(CREATE, { name: 'edge-1' }))).toEqual([])
    expect(codesOf(await call(CREATE, { name: 'edge-1' }))).toEqual(['LIMIT_EXCEEDED'])
    world.clock.advance(DAY - (world.clock.now() % DAY))
    expect(codesOf(await call(CREATE, { name: 'edge-1' }))).toEqual([])
  })
})
