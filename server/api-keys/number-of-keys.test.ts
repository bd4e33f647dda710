import { expect } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { LOOPBACK } from '../../test/support/world/called-from.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { KeyModel, type Step } from '../../test/support/world/key-model.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import type { Ctx } from '../caller/ctx.ts'
import { keyRules } from '../caller/key-rules.ts'
import { LIMITS } from '../config/limits.ts'
import type { Db } from '../db/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { DAY, HOUR, SECOND } from '../lib/clock.ts'
import { insertOrganization } from '../organizations/organization.ts'
import { activeKeysOf } from './api-key.ts'
import { generateApiKey } from './generate.ts'
import { setApiKeyPolicy } from './policy/change.ts'
import { revokeApiKey } from './revoke.ts'
import { rotateApiKey } from './rotation/rotate-key.ts'

/*
 * A model of how many keys an organization may have, against the real functions on the real database: whatever is done in
 * whatever order, both say the same, and the limits hold.
 */

const it = inWorld(startWorld)

/** An organization of its own, reached as whoever runs the machine or as one of its keys. */
async function newOrganization(world: World) {
  const { database, clock } = world
  const { id: organizationId } = await database.transaction((db) =>
    insertOrganization(db, clock.now(), { kind: 'ORGANIZATION', name: 'Model', apiKeysEnabled: true }),
  )
  const base = { reads: database.read, database, now: clock.now }
  const system: Ctx = { ...base, caller: { kind: 'SYSTEM', organizationId, role: 'ADMIN' } }
  const asKey = (keyId: string): Ctx => ({
    ...base,
    caller: {
      kind: 'API_KEY',
      keyId,
      label: 'model',
      organizationId,
      role: 'ADMIN',
      rules: keyRules(null),
      calledFrom: LOOPBACK,
    },
  })
  return { organizationId, system, asKey }
}

type Organization = Awaited<ReturnType<typeof newOrganization>>

/** What came of it: the id of the new key, nothing, or the code of the refusal. */
async function take(
  world: World,
  step: Step,
  id: string | undefined,
  { system, asKey }: Organization,
): Promise<string | undefined> {
  try {
    switch (step.kind) {
      case 'generate':
        return (await generateApiKey(id === undefined ? system : asKey(id), { label: 'model' })).apiKey.id
      case 'rotate':
        if (id === undefined) return undefined
        return (await rotateApiKey(step.byItself ? asKey(id) : system, id, { overlapSeconds: step.overlap })).apiKey.id
      case 'revoke':
        if (id !== undefined) await revokeApiKey(system, id)
        return undefined
      case 'policy':
        await setApiKeyPolicy(system, { maxKeys: step.maxKeys })
        return undefined
      case 'wait':
        world.clock.advance(step.ms)
        return undefined
    }
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

const activeIds = async (world: World, { organizationId }: Organization) => {
  const rows = await activeKeysOf(world.database.read, organizationId, world.clock.now())
    .select('id')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** How many keys above it each key of the organization remembers. */
const lineageOf = async (world: World, { organizationId }: Organization) => {
  const rows = await world.database.read
    .selectFrom('apiKeyLineage')
    .innerJoin('apiKey', 'apiKey.id', 'apiKeyLineage.keyId')
    .select((eb) => ['keyId', eb.fn.countAll<number>().as('count')])
    .where('organizationId', '=', organizationId)
    .groupBy('keyId')
    .execute()
  return rows.map(({ count }) => count)
}

const anyStep = fc.oneof(
  fc.record({ kind: fc.constant('generate' as const), at: fc.option(fc.nat(9), { nil: undefined }) }),
  fc.record({
    kind: fc.constant('rotate' as const),
    at: fc.nat(9),
    overlap: fc.constantFrom(0, 1, 3600, 86_400),
    byItself: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('revoke' as const), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('policy' as const), maxKeys: fc.constantFrom(null, 1, 2, 3) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(SECOND, HOUR, DAY) }),
)

it('active keys and rotation chains stay within their limits under random operations', async ({ world }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const organization = await newOrganization(world)
      const model = new KeyModel(world.clock.now, LIMITS.active_keys)
      for (const step of steps) {
        const id = model.pick(step)
        const expected = model.expect(step, id)
        const outcome = await take(world, step, id, organization)
        if (expected !== 'done') expect(outcome).toBe(expected)
        else model.apply(step, id, outcome)
        expect(await activeIds(world, organization)).toEqual(model.activeIds())
        model.check()
      }
    }),
    { numRuns: 40 },
  )
})

it('a key that rotates itself repeatedly has at most two active keys, and stores at most 100 ancestors', async ({
  world,
}) => {
  const organization = await newOrganization(world)
  let id = (await generateApiKey(organization.system)).apiKey.id
  for (let i = 0; i < 130; i++) {
    id = (await rotateApiKey(organization.asKey(id), id, { overlapSeconds: 1 })).apiKey.id
    expect((await activeIds(world, organization)).length).toBe(2)
    world.clock.advance(SECOND)
  }
  const counts = await lineageOf(world, organization)
  expect(counts.length).toBe(130)
  expect(Math.max(...counts)).toBe(LIMITS.key_ancestors)
})

it('C2: a key cannot detach what descends from it by a long line of keys that expire at once', async ({ world }) => {
  const organization = await newOrganization(world)
  const { id: stolen } = (await generateApiKey(organization.system)).apiKey
  let id = stolen
  for (let i = 0; i < LIMITS.key_ancestors + 10; i++) {
    id = (await generateApiKey(organization.asKey(id), { expiresAt: world.clock.now() + SECOND })).apiKey.id
    world.clock.advance(i % 2 === 0 ? 0 : SECOND / 2)
  }
  await generateApiKey(organization.asKey(id))
  const { organizationId } = organization
  const expired = (db: Db) => db.deleteFrom('apiKey').where('expiresAt', 'is not', null)
  await world.database.transaction((db) => expired(db).where('organizationId', '=', organizationId).execute()) // as the background job does, later
  await revokeApiKey(organization.system, stolen, { includeDescendants: true })
  expect(await activeIds(world, organization)).toEqual([])
})

it('C2: of its ancestors, a key stores all that are accepted, and of the expired ones the nearest', async ({
  world,
}) => {
  const organization = await newOrganization(world)
  const generateBy = async (ctx: Ctx, expiresAt?: number) =>
    (await generateApiKey(ctx, { label: 'model', expiresAt })).apiKey.id
  const short = 60
  /** Each generated by the one before; all expire at once. */
  const expiredBelow = async (first: string) => {
    const ids = [first]
    const expiresAt = world.clock.now() + SECOND
    while (ids.length <= short) ids.push(await generateBy(organization.asKey(ids.at(-1) ?? ''), expiresAt))
    return ids.slice(1)
  }
  const lasting = [await generateBy(organization.system)]
  const expired: string[] = []
  for (let round = 0; round < 2; round++) {
    expired.push(...(await expiredBelow(lasting.at(-1) ?? '')))
    lasting.push(await generateBy(organization.asKey(expired.at(-1) ?? '')))
    world.clock.advance(SECOND)
  }
  const last = await generateBy(organization.asKey(lasting.at(-1) ?? ''))
  const stored = await world.database.read
    .selectFrom('apiKeyLineage')
    .select('ancestorId')
    .where('keyId', '=', last)
    .execute()
  const expected = [...lasting, ...expired.slice(lasting.length - LIMITS.key_ancestors)]
  expect(stored.map(({ ancestorId }) => ancestorId).sort()).toEqual(expected.sort())
})

it('C2: descendants are found through others where an ancestor is not stored', async ({ world }) => {
  const organization = await newOrganization(world)
  const { id: first } = (await generateApiKey(organization.system)).apiKey
  const { id: second } = (await generateApiKey(organization.asKey(first))).apiKey
  const { id: third } = (await generateApiKey(organization.asKey(second))).apiKey
  await world.database.transaction((db) =>
    db.deleteFrom('apiKeyLineage').where('keyId', '=', third).where('ancestorId', '=', first).execute(),
  )
  await revokeApiKey(organization.system, first, { includeDescendants: true })
  expect(await activeIds(world, organization)).toEqual([])
})
