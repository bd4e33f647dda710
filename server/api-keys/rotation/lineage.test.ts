import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Answer } from '../../../test/support/http.ts'
import { fieldOf } from '../../../test/support/people.ts'
import {
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../../test/support/world.ts'

const TREE = 'query ($id: ID!) { apiKey(id: $id) { descendants { data { id label parentId } } } }'
const GENERATE = 'mutation ($label: String) { generateApiKey(input: { label: $label }) { secret apiKey { id label } } }'
const REVOKE = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

let world: World
let ada: Person
let acme: TestOrganization
/** By their labels. */
let keys: Map<string, TestKey>

beforeAll(async () => {
  world = await startWorld()
  ada = await world.signUp('Ada')
})
afterAll(() => world.close())

beforeEach(async () => {
  acme = await world.organization('Acme', { admin: ada })
  keys = new Map()
})

const keyOf = (label: string): TestKey => {
  const key = keys.get(label)
  if (!key) throw new Error(`No key ${label}.`)
  return key
}

/** Each is made by the one that its label begins with, the first by a person. */
async function plant(...labels: string[]): Promise<void> {
  for (const label of labels) {
    const parent = label.slice(0, -1)
    const made = parent === '' ? await world.generateKey(ada, acme, { label }) : await child(keyOf(parent), label)
    keys.set(label, made)
  }
}

async function child(parent: TestKey, label: string): Promise<TestKey> {
  const answer = await world.asKey(parent.secret).call(GENERATE, { label })
  const { secret, apiKey } = fieldOf<{ secret: string; apiKey: { id: string; label: string } }>(answer)
  return { ...apiKey, secret }
}

type Made = { id: string; label: string; parentId: string }

const madeIn = (answer: Answer) => fieldOf<{ descendants: { data: Made[] } }>(answer).descendants.data

/** `parent > child`, line by line. */
async function treeOf(label: string): Promise<string[]> {
  const labels = new Map([...keys.values()].map((key) => [key.id, key.label]))
  const answer = await ada.call(TREE, { id: keyOf(label).id }, acme.slug)
  return madeIn(answer).map(({ parentId, label }) => `${labels.get(parentId)} > ${label}`)
}

const revoke = (label: string, all = false) => ada.call(REVOKE, { id: keyOf(label).id, all }, acme.slug)

it('C2: what a key made is told with its parent, the oldest first', async () => {
  await plant('a', 'b', 'ax', 'ay', 'axp', 'ayp', 'axq', 'axpm')
  expect(await treeOf('a')).toEqual(['a > ax', 'a > ay', 'ax > axp', 'ay > ayp', 'ax > axq', 'axp > axpm'])
  expect(await treeOf('ax')).toEqual(['ax > axp', 'ax > axq', 'axp > axpm'])
  expect([await treeOf('b'), await treeOf('axpm')]).toEqual([[], []])
})

it('C2: where a parent is gone, its children hang on the nearest above them that is still there', async () => {
  await plant('a', 'ax', 'axp', 'axpm', 'axpmk', 'axpmkz', 'ay')
  await revoke('axp')
  await revoke('axpmk')
  expect(await treeOf('a')).toEqual(['a > ax', 'ax > axpm', 'axpm > axpmkz', 'a > ay'])
  await revoke('ax')
  expect(await treeOf('a')).toEqual(['a > axpm', 'axpm > axpmkz', 'a > ay'])
})

it('C2: the tree is what a revoke with descendants takes along', async () => {
  await plant('a', 'ax', 'axp', 'axpm', 'ay', 'b', 'bx')
  await revoke('axp')
  const shown = madeIn(await ada.call(TREE, { id: keyOf('a').id }, acme.slug)).map(({ id }) => id)
  const { ids } = fieldOf<{ ids: string[] }>(await revoke('a', true))
  expect(new Set(ids)).toEqual(new Set([keyOf('a').id, ...shown]))
})

it('a key that rotates itself is above the new one, one that a person rotates is not', async () => {
  await plant('a', 'b')
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }'
  const { apiKey } = fieldOf<{ apiKey: { id: string } }>(
    await world.asKey(keyOf('a').secret).call(rotate, { id: keyOf('a').id }),
  )
  await ada.call(rotate, { id: keyOf('b').id }, acme.slug)
  const made = madeIn(await ada.call(TREE, { id: keyOf('a').id }, acme.slug))
  expect(made).toEqual([{ id: apiKey.id, label: 'a', parentId: keyOf('a').id }])
  expect(await treeOf('b')).toEqual([])
})

it('what is rotated keeps its place below the key that made it', async () => {
  await plant('a', 'ax')
  const rotate = 'mutation ($id: ID!) { rotateApiKey(id: $id) { apiKey { id } } }'
  const { apiKey } = fieldOf<{ apiKey: { id: string } }>(await ada.call(rotate, { id: keyOf('ax').id }, acme.slug))
  const { ids } = fieldOf<{ ids: string[] }>(await revoke('a', true))
  expect(new Set(ids)).toEqual(new Set([keyOf('a').id, keyOf('ax').id, apiKey.id]))
})

it('a line of 100 keys, each made by the one before, is in order, also with every second one gone', async () => {
  let last = await world.generateKey(ada, acme, { label: '0' })
  const [first, line] = [last, [last.id]]
  for (let i = 1; i < 100; i++) {
    last = await child(last, String(i))
    line.push(last.id)
  }
  const ids = async () => madeIn(await ada.call(TREE, { id: first.id }, acme.slug)).map(({ id }) => id)
  expect(await ids()).toEqual(line.slice(1))

  const gone = line.filter((_id, i) => i % 2 === 1)
  await ada.call('mutation ($ids: [ID!]) { revokeApiKeys(input: { ids: $ids }) { ids } }', { ids: gone }, acme.slug)
  expect(await ids()).toEqual(line.filter((id, i) => i > 0 && !gone.includes(id)))
})

it('C3: they come in pages, and are counted', async () => {
  await plant('a', 'ax', 'ay', 'axp', 'az')
  const page =
    'query ($id: ID!, $after: String) { apiKey(id: $id) { descendants(first: 3, after: $after) { data { label } pageInfo { hasNextPage endCursor } totalCount } } }'
  const ask = async (after: string | null) =>
    fieldOf<{ descendants: { pageInfo: { endCursor: string } } }>(
      await ada.call(page, { id: keyOf('a').id, after }, acme.slug),
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

it('a key that descends from keys that are gone does not hand them on', async () => {
  await plant('a', 'ax')
  await revoke('a')
  await plant('axp')
  const ancestors = await world.database.read
    .selectFrom('apiKeyLineage')
    .select('ancestorId')
    .where('keyId', '=', keyOf('axp').id)
    .execute()
  expect(ancestors).toEqual([{ ancestorId: keyOf('ax').id }])
})
