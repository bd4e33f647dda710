import { describe, expect } from 'vitest'
import { LOOPBACK } from '../../test/support/world/called-from.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf, peopleAs } from '../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../test/support/world/world.ts'
import type { Ctx } from '../caller/ctx.ts'
import { verifyKey } from '../caller/verify-key.ts'
import type { Receipt } from '../db/transaction.ts'
import { setApiKeysEnabled } from './feature-switch.ts'
import { revokeLeakedKeys } from './leaks/revoke-leaked.ts'
import { setApiKeyPolicy } from './policy/change.ts'
import { revokeApiKey } from './revoke.ts'
import { revokeApiKeys } from './revoke-many.ts'
import { rotateApiKey } from './rotation/rotate-key.ts'

const it = inOrganization(startWorld)

/** By which a caller that manages keys revokes this one. */
const WAYS: Record<string, (ctx: Ctx, id: string) => Promise<{ receipt: Receipt }>> = {
  'by its id': (ctx, id) => revokeApiKey(ctx, id),
  'with others': (ctx, id) => revokeApiKeys(ctx, { ids: [id] }),
  'by the switch': (ctx) => setApiKeysEnabled(ctx, false, { revokeActiveKeys: true }),
  'by the policy': (ctx) => setApiKeyPolicy(ctx, { maxKeys: 1 }, ['MAX_KEYS']),
  'by a rotation without an overlap': (ctx, id) => rotateApiKey(ctx, id, { overlapSeconds: 0 }),
}

/** By which whoever has the secret revokes it. */
const leaked = (ctx: Ctx, id: string): Promise<{ receipt: Receipt }> =>
  ctx.database.transaction((db) =>
    revokeLeakedKeys(
      { ...ctx, db, reads: db },
      { organizationId: ctx.caller.organizationId, places: new Map([[id, []]]), reporter: 'caller', origin: '' },
    ),
  )

const systemCtx = ({ database, clock }: World, { id }: TestOrganization): Ctx => ({
  caller: { kind: 'SYSTEM', organizationId: id, role: 'ADMIN' },
  reads: database.read,
  database,
  now: clock.now,
})

describe('K9, K10, C13: every way to revoke a key', () => {
  it.for([...Object.entries(WAYS), ['as a leak', leaked] as const])('%s', async ([, revoke], { world, acme }) => {
    const { database } = world
    const key = await acme.generateKey()
    await peopleAs(world.asKey(key.secret).call).invite({
      name: 'Eve',
      email: `eve-${key.id}@example.com`,
      role: 'MEMBER',
    })
    await database.transaction((db) =>
      db.updateTable('apiKey').set({ lastUsedAt: 1 }).where('id', '=', key.id).execute(),
    )
    await acme.generateKey() // the policy leaves this one
    const before = await stateOf(world, key.id)
    expect(before).toEqual({ keys: 1, removals: 0, invitations: 1 })

    const { receipt } = await revoke(systemCtx(world, acme), key.id)

    expect(receipt).toEqual({ durable: true })
    expect(await stateOf(world, key.id)).toEqual({ keys: 0, removals: 1, invitations: 0 })
    const revocations = await database.read.selectFrom('revocation').select(['kind', 'endsAt']).execute()
    expect(revocations).toContainEqual({ kind: 'KEY', endsAt: 0 })
    expect((await verifyKey(database, key.secret, LOOPBACK)).outcome).toBe('invalid')
    const events = eventsOf(await acme.call('{ auditEvents { data { action subject details } } }'))
    const ended = events.filter(({ action }) => /_(REVOKED|ROTATED|LEAKED)$/.test(action))
    expect(ended).toEqual([expect.objectContaining({ details: expect.stringContaining(key.id) })])
  })
})

async function stateOf({ database: { read } }: World, id: string) {
  const [keys, removals, invitations] = await Promise.all([
    read.selectFrom('apiKey').select('id').where('id', '=', id).execute(),
    read.selectFrom('revokedApiKey').select('id').where('id', '=', id).execute(),
    read.selectFrom('invitation').select('id').where('email', '=', `eve-${id}@example.com`).execute(),
  ])
  return { keys: keys.length, removals: removals.length, invitations: invitations.length }
}

describe('C10: a key that may no longer manage keys when its transaction begins revokes nothing', () => {
  it.for(Object.entries(WAYS))('%s', async ([, revoke], { world, acme }) => {
    const { database, clock } = world
    const [manager, other] = [await acme.generateKey(), await acme.generateKey()]
    const found = await verifyKey(database, manager.secret, LOOPBACK)
    if (found.outcome !== 'accepted') throw new Error(found.outcome)
    const restrictedBefore: typeof database = {
      ...database,
      async transaction(work, options) {
        fieldOf(
          await acme.call(
            `mutation { setApiKeyPolicy(input: { allowKeyManagement: false }, applyToExisting: [ALLOW_KEY_MANAGEMENT])
              { allowKeyManagement } }`,
          ),
        )
        return database.transaction(work, options)
      },
    }
    const ctx: Ctx = { caller: found.caller, reads: database.read, database: restrictedBefore, now: clock.now }
    await expect(revoke(ctx, other.id)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(codesOf(await world.asKey(other.secret).call('{ viewer { role } }'))).toEqual([])
  })
})
