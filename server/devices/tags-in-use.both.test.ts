import { expect } from 'vitest'
import { bulk } from '../../test/support/world/bulk.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { type Call, fieldOf } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { MAX_COUNTED } from './tags-in-use.ts'

const TAGS = 'query ($search: String) { deviceTags(search: $search) { tag devices } }'

const it = inOrganization(startWorld)

const tagsOf = async (call: Call, search?: string) =>
  fieldOf<{ tag: string; devices: number }[]>(await call(TAGS, { search })).map(
    ({ tag, devices }) => `${tag} ${devices}`,
  )

it('lists the tags in use that begin with a text, with their devices, of the organization alone', async ({
  world,
  ada,
  acme,
  bob,
}) => {
  expect(await tagsOf(acme.call)).toEqual([])
  await bulk(acme.call, 'createDevices', [
    { name: 'a', tags: ['lte', 'gateway', '%'] },
    { name: 'b', tags: ['lte', 'LTE', 'lte-m'] },
    { name: 'c', tags: ['öbb'] },
    { name: 'd' },
  ])
  expect(await tagsOf(acme.call)).toEqual(['% 1', 'LTE 1', 'gateway 1', 'lte 2', 'lte-m 1', 'öbb 1'])
  expect(await tagsOf(acme.call, 'lte')).toEqual(['lte 2', 'lte-m 1'])
  expect(await tagsOf(acme.call, '%')).toEqual(['% 1'])
  expect(await tagsOf(acme.call, 'x')).toEqual([])
  expect(await tagsOf((query, variables) => bob.call(query, variables, acme.slug), 'ö')).toEqual(['öbb 1'])
  expect(await tagsOf((await world.organization('Other', { admin: ada })).call)).toEqual([])
  expect((await acme.call(TAGS, { search: 'x'.repeat(41) })).errors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: 'search' },
  ])
})

it('lists the first 20, and counts no more than 1,000 devices of each', async ({ world, acme }) => {
  const numbered = (i: number) => `t${String(i).padStart(2, '0')}`
  await bulk(acme.call, 'createDevices', [
    { name: 'a', tags: Array.from({ length: 20 }, (_, i) => numbered(i + 1)) },
    { name: 'b', tags: ['u'] },
  ])
  const device = await world.database.read.selectFrom('deviceTag').select('deviceId').limit(1).executeTakeFirstOrThrow()
  const rows = Array.from({ length: MAX_COUNTED + 1 }, (_, i) => ({
    ...{ organizationId: acme.id, tag: numbered(0), nameKey: `n${i}`, deviceId: device.deviceId },
  }))
  await world.database.transaction((db) => db.insertInto('deviceTag').values(rows).execute())
  expect(await tagsOf(acme.call)).toEqual([
    `t00 ${MAX_COUNTED}`,
    ...Array.from({ length: 19 }, (_, i) => `${numbered(i + 1)} 1`),
  ])
})
