import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import type { Answer } from '../../../test/support/world/http.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'

const TREE = 'query ($id: ID!) { apiKey(id: $id) { descendants { data { id label parentId } } } }'
const GENERATE = 'mutation ($label: String) { generateApiKey(input: { label: $label }) { secret apiKey { id label } } }'
const REVOKE = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

const it = inOrganization(startWorld)
  .extend('keys', () => new Map<string, TestKey>())
  /** Each is made by the one that its label begins with, the first by a person. */
  .extend('plant', ({ world, acme, keys }) => async (...labels: string[]): Promise<void> => {
    for (const label of labels) {
      const parent = label.slice(0, -1)
      const made = parent === '' ? await acme.generateKey({ label }) : await child(world, keyOf(keys, parent), label)
      keys.set(label, made)
    }
  })

const keyOf = (keys: Map<string, TestKey>, label: string): TestKey => {
  const key = keys.get(label)
  if (!key) throw new Error(`No key ${label}.`)
  return key
}

async function child(world: World, parent: TestKey, label: string): Promise<TestKey> {
  const answer = await world.asKey(parent.secret).call(GENERATE, { label })
  const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string; label: string } }>(answer)
  return { ...apiKey, secret }
}

type Made = { id: string; label: string; parentId: string }

const madeIn = (answer: Answer) => fieldOf<{ descendants: { data: Made[] } }>(answer).descendants.data

/** `parent > child`, line by line. */
async function treeOf(acme: TestOrganization, keys: Map<string, TestKey>, label: string): Promise<string[]> {
  const labels = new Map([...keys.values()].map((key) => [key.id, key.label]))
  const answer = await acme.call(TREE, { id: keyOf(keys, label).id })
  return madeIn(answer).map(({ parentId, label }) => `${labels.get(parentId)} > ${label}`)
}

const revoke = (acme: TestOrganization, keys: Map<string, TestKey>, label: string, all = false) =>
  acme.call(REVOKE, { id: keyOf(keys, label).id, all })

it('C2: descendants are listed with their parent, the oldest first', async ({ acme, keys, plant }) => {
  await plant('a', 'b', 'ax', 'ay', 'axp', 'ayp', 'axq', 'axpm')
  expect(await treeOf(acme, keys, 'a')).toEqual(['a > ax', 'a > ay', 'ax > axp', 'ay > ayp', 'ax > axq', 'axp > axpm'])
  expect(await treeOf(acme, keys, 'ax')).toEqual(['ax > axp', 'ax > axq', 'axp > axpm'])
  expect([await treeOf(acme, keys, 'b'), await treeOf(acme, keys, 'axpm')]).toEqual([[], []])
})

it('C2: if a parent no longer exists, its children are listed under the nearest ancestor that does', async ({
  acme,
  keys,
  plant,
}) => {
  await plant('a', 'ax', 'axp', 'axpm', 'axpmk', 'axpmkz', 'ay')
  await revoke(acme, keys, 'axp')
  await revoke(acme, keys, 'axpmk')
  expect(await treeOf(acme, keys, 'a')).toEqual(['a > ax', 'ax > axpm', 'axpm > axpmkz', 'a > ay'])
  await revoke(acme, keys, 'ax')
  expect(await treeOf(acme, keys, 'a')).toEqual(['a > axpm', 'axpm > axpmkz', 'a > ay'])
})

it('C2: the tree contains the keys that a revoke with descendants revokes', async ({ acme, keys, plant }) => {
  await plant('a', 'ax', 'axp', 'axpm', 'ay', 'b', 'bx')
  await revoke(acme, keys, 'axp')
  const shown = madeIn(await acme.call(TREE, { id: keyOf(keys, 'a').id })).map(({ id }) => id)
  const { ids } = fieldOf<{ ids: string[] }>(await revoke(acme, keys, 'a', true))
  expect(new Set(ids)).toEqual(new Set([keyOf(keys, 'a').id, ...shown]))
})

it('a key that rotates itself is an ancestor of the new one; with a rotation by a person it is not', async ({
  world,
  acme,
  keys,
  plant,
}) => {
  await plant('a', 'b')
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }'
  const { apiKey } = fieldOf<{ apiKey: { id: string } }>(
    await world.asKey(keyOf(keys, 'a').secret).call(rotate, { id: keyOf(keys, 'a').id }),
  )
  await acme.call(rotate, { id: keyOf(keys, 'b').id })
  const made = madeIn(await acme.call(TREE, { id: keyOf(keys, 'a').id }))
  expect(made).toEqual([{ id: apiKey.id, label: 'a', parentId: keyOf(keys, 'a').id }])
  expect(await treeOf(acme, keys, 'b')).toEqual([])
})

it('a rotated key keeps its parent', async ({ acme, keys, plant }) => {
  await plant('a', 'ax')
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }'
  const { apiKey } = fieldOf<{ apiKey: { id: string } }>(await acme.call(rotate, { id: keyOf(keys, 'ax').id }))
  const { ids } = fieldOf<{ ids: string[] }>(await revoke(acme, keys, 'a', true))
  expect(new Set(ids)).toEqual(new Set([keyOf(keys, 'a').id, keyOf(keys, 'ax').id, apiKey.id]))
})

it('a chain of 100 keys is listed in order, also with every second key deleted', async ({ world, acme }) => {
  let last = await acme.generateKey({ label: '0' })
  const [first, line] = [last, [last.id]]
  for (let i = 1; i < 100; i++) {
    last = await child(world, last, String(i))
    line.push(last.id)
  }
  const ids = async () => madeIn(await acme.call(TREE, { id: first.id })).map(({ id }) => id)
  expect(await ids()).toEqual(line.slice(1))

  const gone = line.filter((_id, i) => i % 2 === 1)
  await acme.call('mutation ($ids: [ID!]) { revokeApiKeys(input: { ids: $ids }) { ids } }', { ids: gone })
  expect(await ids()).toEqual(line.filter((id, i) => i > 0 && !gone.includes(id)))
})

it('C3: descendants are listed in pages, and counted', async ({ acme, keys, plant }) => {
  await plant('a', 'ax', 'ay', 'axp', 'az')
  const page =
    'query ($id: ID!, $after: String) { apiKey(id: $id) { descendants(first: 3, after: $after) { data { label } pageInfo { hasNextPage endCursor } totalCount } } }'
  const ask = async (after: string | null) =>
    fieldOf<{ descendants: { pageInfo: { endCursor: string } } }>(
      await acme.call(page, { id: keyOf(keys, 'a').id, after }),
    ).descendants
  const first = await ask(null)
  expect(first).toMatchObject({
    data: [{ label: 'ax' }, { label: 'ay' }, { label: 'axp' }],
    pageInfo: { hasNextPage: true },
    totalCount: 4,
  })
  expect(await ask(first.pageInfo.endCursor)).toMatchObject({
    data: [{ label: 'az' }],
    pageInfo: { hasNextPage: false },
  })
})

it('a key does not pass on ancestors that no longer exist', async ({ world, acme, keys, plant }) => {
  await plant('a', 'ax')
  await revoke(acme, keys, 'a')
  await plant('axp')
  const ancestors = await world.database.read
    .selectFrom('apiKeyLineage')
    .select('ancestorId')
    .where('keyId', '=', keyOf(keys, 'axp').id)
    .execute()
  expect(ancestors).toEqual([{ ancestorId: keyOf(keys, 'ax').id }])
})
