import { beforeEach, describe, expect } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import * as inOrder from '../../test/support/world/device-pages.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Call } from '../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { sortKey } from '../lib/check.ts'

const listOf = (fields: string) => `query ($first: Int, $after: String, $search: String, $filter: DeviceFilter) {
  devices(first: $first, after: $after, search: $search, filter: $filter) {
    data { ${fields} } pageInfo { hasNextPage endCursor } totalCount
  }
}`
const LIST = listOf('id name')
const WHOLE_LIST = listOf('id name tags')

interface List {
  data: { id: string; name: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  totalCount: number
}

const it = inWorld(startWorld).extend('elsewhere', { scope: 'file', auto: true }, async ({ world }) => {
  const eve = await world.signUp('Eve')
  await eve.call('mutation { createDevice(input: { name: "edge", tags: ["lte", "indoor"] }) { id } }')
  return eve
})

beforeEach<{ world: World; acme: TestOrganization }>(({ world, acme }) => empty(world, acme))

const empty = (world: World, acme: TestOrganization) =>
  world.database.transaction((db) => db.deleteFrom('device').where('organizationId', '=', acme.id).execute())

async function create(call: Call, name: string, input: object = {}): Promise<string> {
  const query = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
  const { data, errors } = await call(query, { input: { name, ...input } })
  expect(errors).toEqual([])
  return (data as { createDevice: { id: string } }).createDevice.id
}

const remove = (call: Call, id: string) => call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })

async function list(call: Call, args: object = {}, query = LIST): Promise<List> {
  const { data, errors } = await call(query, args)
  expect(errors).toEqual([])
  return (data as { devices: List }).devices
}

const namesOf = (page: List) => page.data.map((device) => device.name)

/** Every page from the first to the last; something may happen between two of them. */
async function walk(call: Call, args: object, { between = async () => {}, query = LIST } = {}): Promise<List[]> {
  const pages = [await list(call, args, query)]
  for (let last = pages[0]; last?.pageInfo.hasNextPage; last = pages.at(-1)) {
    await between()
    pages.push(await list(call, { ...args, after: last.pageInfo.endCursor }, query))
  }
  return pages
}

const byName = (a: string, b: string) => Buffer.compare(Buffer.from(sortKey(a)), Buffer.from(sortKey(b)))

const anyName = fc
  .oneof(fc.string({ minLength: 1, maxLength: 6 }), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }))
  .map((text) => text.normalize('NFC').trim())
  .filter((text) => text !== '' && !/[\p{Cc}\u2028\u2029]/u.test(text))
const anyNames = fc.uniqueArray(anyName, { minLength: 1, maxLength: 12 })
const anyWay = fc.constantFrom(
  { query: LIST },
  { query: WHOLE_LIST },
  { query: LIST, filter: { tags: ['all'] } },
  { query: LIST, filter: { enabled: true } },
)
const RUNS = 15
const anySize = fc.integer({ min: 1, max: 5 })

describe('paging', () => {
  it('C3: all pages together are all devices by name, whatever the names and the page size', async ({
    world,
    acme,
    call,
  }) => {
    await fc.assert(
      fc.asyncProperty(anyNames, anySize, anyWay, async (names, first, { query, filter }) => {
        await empty(world, acme)
        for (const name of names) await create(call, name, { tags: ['all'] })
        const pages = await walk(call, { first, filter }, { query })
        const walked = pages.flatMap(namesOf)
        expect(walked.map(sortKey)).toEqual(names.toSorted(byName).map(sortKey))
        expect(new Set(walked)).toEqual(new Set(names))
        expect(pages.slice(0, -1).every((page) => page.data.length === first)).toBe(true)
        expect(pages.map((page) => page.totalCount)).toEqual(pages.map(() => names.length))
      }),
      { numRuns: RUNS },
    )
  })

  it.for(inOrder.ORDERS)('C3: all pages by $field $direction are all devices', async (orderBy, { world, call }) => {
    const ids: string[] = []
    for (const name of ['b', 'C', 'a', 'e', 'd']) {
      ids.push(await create(call, name))
      world.clock.advance(name === 'b' ? 0 : 1000) // two of them are of one moment
    }
    for (const id of ids.slice(1, 4)) await call('mutation ($id: ID!) { checkInDevice(id: $id) { id } }', { id })
    const { data } = inOrder.listOf(await call(inOrder.LIST))
    expect(await inOrder.allPages(call, 2, { orderBy })).toEqual(inOrder.sorted(data, orderBy))
  })

  it('a device that stays is listed exactly once, whatever is added or removed between pages', async ({
    world,
    acme,
    call,
  }) => {
    const anyChange = fc.record({ name: anyName, remove: fc.nat({ max: 11 }) })
    await fc.assert(
      fc.asyncProperty(anyNames, anySize, fc.array(anyChange, { maxLength: 6 }), async (names, first, changes) => {
        await empty(world, acme)
        const ids = new Map<string, string>()
        for (const name of names) ids.set(name, await create(call, name))
        const staying = new Set(names)
        const taken = new Set(names)
        const between = async () => {
          const change = changes.pop()
          if (!change) return
          const going = names[change.remove] ?? ''
          if (staying.delete(going)) await remove(call, ids.get(going) ?? '')
          if (!taken.has(change.name)) await create(call, change.name)
          taken.add(change.name)
        }
        const pages = await walk(call, { first }, { between })
        const walked = pages.flatMap(namesOf)
        expect(walked).toHaveLength(new Set(walked).size)
        expect(walked).toEqual(expect.arrayContaining([...staying]))
      }),
      { numRuns: RUNS },
    )
  })

  it('continues after the last device of a page, even if it was deleted', async ({ call }) => {
    const ids = new Map<string, string>()
    for (const name of ['a', 'c', 'e', 'g']) ids.set(name, await create(call, name))
    const page = await list(call, { first: 2 })
    expect(namesOf(page)).toEqual(['a', 'c'])
    await remove(call, ids.get('c') ?? '')
    await create(call, 'b')
    await create(call, 'd')
    expect(namesOf(await list(call, { first: 2, after: page.pageInfo.endCursor }))).toEqual(['d', 'e'])
  })

  it('distinguishes names that differ only in case', async ({ call }) => {
    for (const name of ['EDGE', 'edge', 'Edge', 'edgE']) await create(call, name)
    const pages = await walk(call, { first: 1 })
    expect(pages.flatMap(namesOf).toSorted()).toEqual(['EDGE', 'Edge', 'edgE', 'edge'])
  })

  it('an empty list has no next page', async ({ call }) => {
    expect(await list(call)).toEqual({ data: [], pageInfo: { hasNextPage: false, endCursor: null }, totalCount: 0 })
  })

  it('has no next page when the last one is exactly full', async ({ call }) => {
    for (const name of ['a', 'b']) await create(call, name)
    expect(await list(call, { first: 2 })).toMatchObject({
      pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
    })
  })

  it('treats null as absent', async ({ call }) => {
    await create(call, 'a')
    const nothing = { first: null, after: null, search: null, filter: null }
    expect(namesOf(await list(call, nothing))).toEqual(['a'])
    expect(namesOf(await list(call, { search: ' ', filter: { status: null, tags: null, enabled: null } }))).toEqual([
      'a',
    ])
    expect(namesOf(await list(call, { filter: { tags: [] } }))).toEqual(['a'])
  })

  const cursor = (values: unknown) => Buffer.from(JSON.stringify(values)).toString('base64url')

  it.for<[string, object]>([
    ['after', { after: '' }],
    ['after', { after: 'garbage' }],
    ['after', { after: '🙈' }],
    ['after', { after: cursor({}) }],
    ['after', { after: cursor(['a']) }],
    ['after', { after: cursor(['a', 1]) }],
    ['after', { after: cursor(['a\u0000', 'b']) }],
    ['first', { first: 0 }],
    ['first', { first: -1 }],
    ['first', { first: 501 }],
    ['search', { search: 'a'.repeat(81) }],
    ['search', { search: 'a\u0000' }],
    ['filter.tags', { filter: { tags: [''] } }],
    ['filter.tags', { filter: { tags: ['a'.repeat(41)] } }],
    ['filter.tags', { filter: { tags: Array.from({ length: 21 }, (_, i) => `${i}`) } }],
  ])('refuses %s: %j', async ([field, args], { call }) => {
    const { errors } = await call(LIST, args)
    expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  })
})

describe('search', () => {
  const NAMES = ['Edge-1', 'edge-2', 'EDGE', 'edgy', 'the edge', 'Éclair', 'éclat', 'Eclipse', 'ÅNGSTRÖM', 'ИВАН', 'Ⅳ']

  const FINDS: [search: string, names: string[]][] = [
    ['edge', ['EDGE', 'Edge-1', 'edge-2']],
    ['EDGE-', ['Edge-1', 'edge-2']],
    [' edge-1 ', ['Edge-1']],
    ['dge', []],
    ['ÉCLA', ['Éclair', 'éclat']],
    ['e\u0301cla', ['Éclair', 'éclat']],
    ['ecl', ['Eclipse']],
    ['ångs', ['ÅNGSTRÖM']],
    ['\u212bng', ['ÅNGSTRÖM']], // the sign for the unit, in place of the letter
    ['ив', ['ИВАН']],
    ['iv', ['Ⅳ']],
    ['zzz', []],
  ]

  it('finds names by prefix, in upper or lower case', async ({ call }) => {
    for (const name of NAMES) await create(call, name)
    for (const [search, names] of FINDS) {
      const page = await list(call, { search })
      expect({ search, found: namesOf(page), totalCount: page.totalCount }).toEqual({
        search,
        found: names,
        totalCount: names.length,
      })
    }
  })

  it.for(['%', '_', '\\', '*', "'"])('treats %s as a plain character', async (character, { call }) => {
    for (const name of [`${character}x`, 'xx', `x${character}x`]) await create(call, name)
    expect(namesOf(await list(call, { search: character }))).toEqual([`${character}x`])
    expect(namesOf(await list(call, { search: `X${character}` }))).toEqual([`x${character}x`])
  })

  it('finds names by any prefix of any name', async ({ world, acme, call }) => {
    await fc.assert(
      fc.asyncProperty(anyNames, anySize, fc.nat(), async (names, first, seed) => {
        await empty(world, acme)
        for (const name of names) await create(call, name)
        const key = sortKey(names[seed % names.length] ?? '')
        const search = String.fromCodePoint(
          ...[...key].map((c) => c.codePointAt(0) ?? 0).slice(0, 1 + (seed % 3)),
        ).trim()
        const expected = names.filter((name) => sortKey(name).startsWith(sortKey(search)))
        const walked = (await walk(call, { first, search })).flatMap(namesOf)
        expect(walked.toSorted()).toEqual(expected.toSorted())
      }),
      { numRuns: RUNS },
    )
  })

  it('stays within the search, whatever the cursor', async ({ call }) => {
    for (const name of ['a', 'm1', 'm2', 'z']) await create(call, name)
    const [a, , , z] = await walk(call, { first: 1 })
    expect(namesOf(await list(call, { search: 'm', after: a?.pageInfo.endCursor }))).toEqual(['m1', 'm2'])
    expect(namesOf(await list(call, { search: 'm', after: z?.pageInfo.endCursor }))).toEqual([])
  })
})

describe('filter', () => {
  beforeEach<{ call: Call }>(async ({ call }) => {
    await create(call, 'a', { tags: ['lte', 'indoor'] })
    await create(call, 'b', { tags: ['lte'], enabled: false })
    await create(call, 'c', { tags: ['indoor', 'lte', 'spare'], enabled: false })
    await create(call, 'd')
  })

  it.for<[object, string[]]>([
    [{ tags: ['lte'] }, ['a', 'b', 'c']],
    [{ tags: ['lte', 'indoor'] }, ['a', 'c']],
    [{ tags: ['indoor', ' lte ', 'indoor'] }, ['a', 'c']],
    [{ tags: ['indoor', 'lte', 'spare'] }, ['c']],
    [{ tags: ['lte', 'unknown'] }, []],
    [{ tags: ['LTE'] }, []],
    [{ enabled: true }, ['a', 'd']],
    [{ enabled: false }, ['b', 'c']],
    [{ enabled: false, tags: ['indoor'] }, ['c']],
    [{ status: 'NEVER_SEEN', enabled: true, tags: ['lte', 'indoor'] }, ['a']],
    [{ status: 'ONLINE' }, []],
  ])('%j', async ([filter, names], { call }) => {
    const pages = await walk(call, { first: 2, filter })
    expect(pages.flatMap(namesOf)).toEqual(names)
    expect(pages[0]?.totalCount).toBe(names.length)
  })

  it('combines with a search and pages', async ({ call }) => {
    for (const name of ['Bx', 'by', 'bz']) await create(call, name, { tags: ['lte'], enabled: name !== 'by' })
    const pages = await walk(call, { first: 1, search: 'b', filter: { tags: ['lte'], enabled: true } })
    expect(pages.map(namesOf)).toEqual([['Bx'], ['bz']])
    expect(pages[1]?.totalCount).toBe(2)
  })
})
