import { expect, vi } from 'vitest'
import { BIG_TAGS, type BigWorld, fillBigWorld } from '../support/world/big-world.ts'
import { inWorld } from '../support/world/fixtures.ts'
import { startWorld, type World } from '../support/world/world.ts'

/** Long enough to be read beside the event loop, short enough to be written in a second. */
const SIZES = { devices: 4000, people: 2400, keys: 3, auditEvents: 3000 }
const FILLED_WITHIN_MS = 60_000
const ALL_TAGS = JSON.stringify(BIG_TAGS)

vi.setConfig({ testTimeout: FILLED_WITHIN_MS })

const it = inWorld(async () => {
  const world = await startWorld()
  return { ...world, filled: await fillBigWorld(world.database, SIZES) }
})

const ask = async ({ asKey, filled }: World & { filled: BigWorld }, query: string) => {
  const { data, errors } = await asKey(filled.big.secrets[0] ?? '').call(query)
  expect(errors).toEqual([])
  return data
}

it.for<[string, number]>([
  ['devices { totalCount }', 4000],
  [`devices(filter: { tags: ${ALL_TAGS} }) { totalCount }`, 500],
  ['devices(filter: { status: NEVER_SEEN }) { totalCount }', 400],
  ['devices(filter: { enabled: false, tags: ["lte"] }) { totalCount }', 200],
  ['devices(search: "EDGE-00000") { totalCount }', 100],
  ['users { totalCount }', 2401 - 1],
  ['users(search: "person 11") { totalCount }', 1 + 10 + 90 + 10],
  ['users(search: "GUEST-1199") { totalCount }', 1],
  ['auditEvents { totalCount }', 3000],
  ['auditEvents(filter: { action: DEVICE_UPDATED }) { totalCount }', 750],
  ['apiKeys { totalCount }', 3],
])('C16: a long list is counted correctly: %s', async ([field, totalCount], { world }) => {
  expect(await ask(world, `{ ${field} }`)).toEqual({ [field.split(/\W/)[0] ?? '']: { totalCount } })
})

it('C16: a combination of filters without an index is paged in order', async ({ world }) => {
  const ids: string[] = []
  for (let after = ''; ; ) {
    const filter = `{ action: DEVICE_CREATED, actorId: "${world.filled.big.actorIds[2]}" }`
    const data = await ask(
      world,
      `{ auditEvents(first: 100, ${after} filter: ${filter}) { data { id } pageInfo { hasNextPage endCursor } totalCount } }`,
    )
    const { auditEvents } = data as { auditEvents: Events }
    ids.push(...auditEvents.data.map(({ id }) => id))
    expect(auditEvents.totalCount).toBe(249)
    if (!auditEvents.pageInfo.hasNextPage) break
    after = `after: "${auditEvents.pageInfo.endCursor}",`
  }
  expect(ids).toHaveLength(249)
  expect(ids).toEqual(ids.toSorted().toReversed())
})

interface Events {
  data: { id: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
  totalCount: number
}

it('C16: pages of devices with four tags match the unpaged list', async ({ world }) => {
  const { devices } = (await ask(
    world,
    `{ devices(first: 500, filter: { tags: ${ALL_TAGS} }) { data { name } } }`,
  )) as {
    devices: { data: { name: string }[] }
  }
  const names = Array.from({ length: 500 }, (_, i) => `edge-${String(i * 8).padStart(7, '0')}`)
  expect(devices.data.map(({ name }) => name)).toEqual(names)
})
