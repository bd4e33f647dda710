import { sql } from 'kysely'
import { expect } from 'vitest'
import { changesOf, inLeak, linesOf, REVOKE, ROTATE } from '../../../test/support/world/key-changes.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type World } from '../../../test/support/world/world.ts'
import { isPostgres } from '../../db/locks.ts'
import { newId } from '../../lib/id.ts'
import { deleteRowsOfDeletedKeys } from '../deletion.ts'
import { MAX_KEYS } from './key-with-descendants.ts'

const it = inLeak(startWorld)

/** As a key does that rotates itself again and again. */
async function insertLongLine({ database, clock }: World, organizationId: string, { id }: TestKey, count: number) {
  const ids = [id, ...Array.from({ length: count }, () => newId(clock.now()))]
  const rows = ids.slice(1).map((keyId, i) => ({
    id: newId(clock.now()),
    organizationId,
    at: clock.now(),
    action: 'api_key.generated',
    actorKind: 'API_KEY' as const,
    actorId: ids[i] ?? null,
    actorName: `key ${i}`,
    subject: `key ${i + 1}`,
    details: `key ${keyId}`,
  }))
  await database.transaction(async (db) => {
    for (let i = 0; i < rows.length; i += 500)
      await db
        .insertInto('auditEvent')
        .values(rows.slice(i, i + 500))
        .execute()
    if (isPostgres(db)) await sql`analyze "auditEvent"`.execute(db) // as autovacuum does, sooner or later
  })
}

it('lists the writes of every descendant, also after all of them were revoked and their lineage was deleted', async ({
  world,
  acme,
  leaked,
  by,
}) => {
  const child = await by(leaked).generate('child')
  const grandchild = await by(child).generate('grandchild')
  const rotated = await by(grandchild).rotate(grandchild)
  const other = await acme.generateKey({ label: 'other' })
  for (const [key, name] of [
    [child, 'a'],
    [rotated, 'b'],
    [other, 'c'],
  ] as const)
    await by(key).addDevice({ name })
  const expected = [
    'grandchild: DEVICE_CREATED b',
    'child: DEVICE_CREATED a',
    'grandchild: API_KEY_ROTATED grandchild',
    'child: API_KEY_GENERATED grandchild',
    'leaked: API_KEY_GENERATED child',
  ]
  expect(linesOf(await changesOf(acme, leaked))).toEqual(expected)
  fieldOf(await acme.call(REVOKE, { id: leaked.id, all: true }))
  await deleteRowsOfDeletedKeys(world.database)
  const lineage = await world.database.read.selectFrom('apiKeyLineage').selectAll().where('ancestorId', '=', leaked.id)
  expect(await lineage.execute()).toEqual([])
  const after = await changesOf(acme, leaked)
  expect(linesOf(after)).toEqual(expected)
  expect(after).toMatchObject({ keyCount: 4, isComplete: true, totalCount: 5 })
  expect(linesOf(await changesOf(acme, child))).toEqual(expected.slice(0, 4))
  expect(linesOf(await changesOf(acme, other))).toEqual(['other: DEVICE_CREATED c'])
})

it('a key by which a person has replaced a descendant counts, one by which they replaced the key itself does not', async ({
  acme,
  leaked,
  by,
  world,
}) => {
  const child = await by(leaked).generate('child')
  const replaced = async (key: TestKey) => {
    const answer = fieldOf<{ secret: string; apiKey: { id: string; label: string } }>(
      await acme.call(ROTATE, { id: key.id }),
    )
    return { ...answer.apiKey, secret: answer.secret }
  }
  const [newChild, newKey] = [await replaced(child), await replaced(leaked)]
  await by(newChild).addDevice({ name: 'a' })
  await by(newKey).addDevice({ name: 'b' })
  const expected = ['child: DEVICE_CREATED a', 'leaked: API_KEY_GENERATED child']
  expect(linesOf(await changesOf(acme, leaked))).toEqual(expected)
  fieldOf(await acme.call(REVOKE, { id: newChild.id }))
  await deleteRowsOfDeletedKeys(world.database)
  expect(linesOf(await changesOf(acme, leaked))).toEqual(expected)
})

it('pages through the writes of many keys without losing or repeating one', async ({ world, acme, leaked }) => {
  await insertLongLine(world, acme.id, leaked, 450)
  const seen: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { data, pageInfo } = await changesOf(acme, leaked, { first: 120, after })
    seen.push(...data.map(({ subject }) => subject))
    after = pageInfo.endCursor
    more = pageInfo.hasNextPage
  }
  expect(seen).toEqual(Array.from({ length: 450 }, (_, i) => `key ${450 - i}`))
})

it('says so when a key has more descendants than are looked at', async ({ world, acme, leaked }) => {
  await insertLongLine(world, acme.id, leaked, MAX_KEYS + 10)
  expect(await changesOf(acme, leaked, { first: 1 })).toMatchObject({
    keyCount: MAX_KEYS,
    isComplete: false,
    totalCount: MAX_KEYS,
  })
})
