import { expect } from 'vitest'
import { LOOPBACK } from '../../test/support/called-from.ts'
import { inOrganization } from '../../test/support/fixtures.ts'
import { fieldOf } from '../../test/support/people.ts'
import { startWorld, type World } from '../../test/support/world.ts'
import { mintSecret } from '../lib/secret.ts'
import { KeyGroup } from './key-group.ts'

const it = inOrganization(startWorld)

async function lookupsOf({ database: { lookups } }: World, work: () => Promise<unknown>): Promise<number> {
  const before = lookups.asked
  await work()
  return lookups.asked - before
}

it('P1: looks each secret up once, whatever it is, and a malformed one not at all', async ({ world, key, acme }) => {
  const other = await acme.generateKey({ label: 'other' })
  const unknown = mintSecret('emp_')
  const secrets = [key.secret, other.secret, unknown, 'emp_malformed', '']
  const group = new KeyGroup(world.database)
  const verifyAll = async () => {
    group.expect(secrets)
    for (const secret of [...secrets, ...secrets]) await group.verify(secret, LOOPBACK)
  }
  expect(await lookupsOf(world, verifyAll)).toBe(3)
  expect(await group.verify(key.secret, LOOPBACK)).toMatchObject({ verdict: { caller: { keyId: key.id } } })
  expect(await group.verify(other.secret, LOOPBACK)).toMatchObject({ verdict: { caller: { keyId: other.id } } })
  expect(await group.verify(unknown, LOOPBACK)).toMatchObject({ verdict: { outcome: 'invalid' } })
})

it('K10: a group that begins after a revoke has returned refuses the key, whatever an earlier group has found', async ({
  world,
  key,
  acme,
}) => {
  const before = new KeyGroup(world.database)
  expect(await before.verify(key.secret, LOOPBACK)).toMatchObject({ verdict: { outcome: 'accepted' } })
  fieldOf(await acme.call(`mutation { revokeApiKey(id: "${key.id}") { ids } }`))
  const after = new KeyGroup(world.database)
  after.expect([key.secret])
  expect(await after.verify(key.secret, LOOPBACK)).toMatchObject({ verdict: { outcome: 'invalid' } })
})

it('shares what is read for one key from one address and origin only, and until something is written', async ({
  world,
  key,
  acme,
}) => {
  const other = await acme.generateKey({ label: 'other' })
  const group = new KeyGroup(world.database)
  const readsOf = async (secret: string, from: object = {}) =>
    (await group.verify(secret, { ...LOOPBACK, ...from })).reads
  const reads = await readsOf(key.secret)
  expect(reads).toBeDefined()
  expect(await readsOf(key.secret)).toBe(reads)
  expect(await readsOf(other.secret)).not.toBe(reads)
  expect(await readsOf(key.secret, { address: '192.0.2.1' })).not.toBe(reads)
  expect(await readsOf(key.secret, { origin: 'https://elsewhere.example' })).not.toBe(reads)
  const again = await readsOf(key.secret)
  again?.forget()
  expect(await readsOf(key.secret)).not.toBe(again)
})

it('P1: a key that one request alone has shares no answers, and what it writes is known to the others', async ({
  world,
  key,
  acme,
}) => {
  const other = await acme.generateKey({ label: 'other' })
  const group = new KeyGroup(world.database)
  group.expect([key.secret, other.secret, other.secret])
  const { reads } = await group.verify(key.secret, LOOPBACK)
  expect(reads).toMatchObject({ answers: undefined })
  expect(await group.verify(other.secret, LOOPBACK)).toMatchObject({ reads: { answers: new Map() } })
  reads?.forget()
  expect(await lookupsOf(world, async () => group.verify(other.secret, LOOPBACK))).toBe(1)
})
