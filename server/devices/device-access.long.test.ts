import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import { joined, supportStaff } from '../../test/support/world/people.ts'
import { type Person, startWorld, type World } from '../../test/support/world/world.ts'

interface Someone {
  call(query: string, variables?: object): Promise<Answer>
}

const LIST = '{ devices { data { id name } } }'
const READS = {
  device: 'query ($id: ID!) { device(id: $id) { id name } }',
}
const WRITES = {
  createDevice: 'mutation { createDevice(input: { name: "made" }) { name } }',
  updateDevice: 'mutation ($id: ID!) { updateDevice(id: $id, input: { name: "renamed" }) { name } }',
  checkInDevice: 'mutation ($id: ID!) { checkInDevice(id: $id, input: { firmwareVersion: "9" }) { name } }',
  deleteDevice: 'mutation ($id: ID!) { deleteDevice(id: $id) }',
}
const WITH_ID = Object.entries({ ...READS, ...WRITES }).filter(([name]) => name !== 'createDevice')
const EVERY = Object.entries({ devices: LIST, ...READS, ...WRITES })
const MALFORMED_IDS = ['', ' ', 'x', '%', "' or 1=1 --", '\u0000', '😀', '9'.repeat(1000), '01k0000000000000000000000']
const NEVER_WAS = '01abcdefghjkmnpqrstvwxyz00'

const it = inWorld(startWorld)
  .extend('eve', { scope: 'file' }, ({ world }) => world.signUp('Eve'))
  .extend('other', { scope: 'file' }, ({ world, eve }) => world.organization('Other', { admin: eve }))
  .extend('sue', { scope: 'file' }, ({ world }) => supportStaff(world, 'Sue'))
  .extend('people', { scope: 'file' }, async ({ world, ada, acme, bob, eve, other, sue, key }) => {
    const inAcme = (person: Person): Someone => ({
      call: (query, variables) => person.call(query, variables, acme.slug),
    })
    const gone = await acme.generateKey({ label: 'gone' })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: gone.id })
    return {
      admin: inAcme(ada),
      member: inAcme(bob),
      key: world.asKey(key.secret),
      foreignKey: world.asKey((await other.generateKey()).secret),
      stranger: inAcme(eve),
      support: inAcme(sue),
      revokedKey: world.asKey(gone.secret),
    }
  })

let devices = 0
async function newDevice(by: Someone): Promise<{ id: string; name: string }> {
  const name = `edge-${++devices}`
  const { data } = await by.call('mutation ($name: String!) { createDevice(input: { name: $name }) { id name } }', {
    name,
  })
  return (data as { createDevice: { id: string; name: string } }).createDevice
}

/** All rows of all organizations, to see that nothing has changed. */
const everything = async (world: World) => ({
  devices: await world.database.read.selectFrom('device').selectAll().orderBy('id').execute(),
  events: await world.database.read
    .selectFrom('auditEvent')
    .selectAll()
    .where('action', 'not in', ['user.refused', 'api_key.refused']) // written a while after the refusal
    .orderBy('id')
    .execute(),
})

/** All that a client can tell from an answer, but for the number of the request. */
const told = ({ status, data, errors }: Answer) => ({
  status,
  data,
  errors: errors.map(({ message, code, field, path }) => ({ message, code, field, path })),
})

const codesOf = (answer: Answer) => [answer.status, ...answer.errors.map((error) => error.code)]

describe('permissions', () => {
  it.for(['admin', 'member', 'key'] as const)('the %s can read a device and the list', async (who, { people }) => {
    const device = await newDevice(people.admin)
    expect((await people[who].call(READS.device, { id: device.id })).data).toEqual({ device })
    const { data } = await people[who].call(LIST)
    expect((data as { devices: { data: object[] } }).devices.data).toContainEqual(device)
  })

  it.for(['admin', 'key'] as const)(
    'K6: the %s can create, update, check in and delete a device',
    async (who, { people }) => {
      const { id } = await newDevice(people[who])
      expect((await people[who].call(WRITES.updateDevice, { id })).data).toEqual({ updateDevice: { name: 'renamed' } })
      expect((await people[who].call(WRITES.checkInDevice, { id })).data).toEqual({
        checkInDevice: { name: 'renamed' },
      })
      expect((await people[who].call(WRITES.deleteDevice, { id })).data).toEqual({ deleteDevice: id })
      expect(codesOf(await people[who].call(READS.device, { id }))).toEqual([200, 'NOT_FOUND'])
    },
  )

  it.for(Object.entries(WRITES))(
    'a Member is refused %s, and nothing changes',
    async ([_name, query], { world, people }) => {
      const { id } = await newDevice(people.admin)
      const before = await everything(world)
      expect(codesOf(await people.member.call(query, { id }))).toEqual([200, 'FORBIDDEN'])
      expect(codesOf(await people.member.call(query, { id: NEVER_WAS }))).toEqual([200, 'FORBIDDEN'])
      expect(await everything(world)).toEqual(before)
    },
  )

  it.for(EVERY)(
    '%s is refused without a session, or outside the organization',
    async ([_name, query], { world, people }) => {
      const { id } = await newDevice(people.admin)
      const before = await everything(world)
      expect(codesOf(await world.nobody().call(query, { id }))).toEqual([401, 'UNAUTHENTICATED'])
      expect(codesOf(await people.revokedKey.call(query, { id }))).toEqual([401, 'API_KEY_INVALID'])
      const signedOut = await world.post('/portal/graphql', { query, variables: { id } })
      expect(signedOut.status).toBe(401)
      const stranger = await people.stranger.call(query, { id })
      expect(stranger.errors.map((error) => error.code)).toEqual(['NOT_FOUND'])
      expect(stranger.data ?? null).toBeNull()
      expect(told(await people.support.call(query, { id }))).toEqual(told(stranger))
      expect(await everything(world)).toEqual(before)
    },
  )

  it.for(Object.entries(WRITES))(
    '%s is refused after a demotion, from the next request on',
    async ([_name, query], { world, acme, people }) => {
      const carl = await joined(world, acme, 'Carl', 'ADMIN')
      const { id } = await newDevice(people.admin)
      await acme.call('mutation ($userId: ID!) { changeUserRole(userId: $userId, role: MEMBER) { id } }', {
        userId: carl.userId,
      })
      expect(codesOf(await carl.call(query, { id }, acme.slug))).toEqual([200, 'FORBIDDEN'])
    },
  )
})

describe('A3: objects of another organization do not exist for the caller', () => {
  it.for(WITH_ID)(
    '%s gives the same answer for an id of another organization as for an unknown id',
    async ([_name, query], { world, people }) => {
      const { id } = await newDevice(people.admin)
      const before = await everything(world)
      const foreign = told(await people.foreignKey.call(query, { id }))
      expect(foreign).toEqual(told(await people.foreignKey.call(query, { id: NEVER_WAS })))
      expect(foreign.errors).toMatchObject([{ code: 'NOT_FOUND' }])
      expect(JSON.stringify(foreign)).not.toContain(id)
      expect(await everything(world)).toEqual(before)
    },
  )

  it('A3: a key lists only the devices of its own organization', async ({ people }) => {
    const [ours, theirs] = [await newDevice(people.admin), await newDevice(people.foreignKey)]
    const listed = async (by: Someone) => ((await by.call(LIST)).data as { devices: { data: object[] } }).devices.data
    expect(await listed(people.key)).toContainEqual(ours)
    expect(await listed(people.key)).not.toContainEqual(theirs)
    expect(await listed(people.foreignKey)).toEqual([theirs])
  })

  it('A3: a cursor, a search and a tag of another organization find nothing', async ({ world, other, people }) => {
    await people.admin.call('mutation { createDevice(input: { name: "hidden", tags: ["hidden"] }) { id } }')
    const page = await people.admin.call('{ devices(first: 1) { pageInfo { endCursor } } }')
    const after = (page.data as { devices: { pageInfo: { endCursor: string } } }).devices.pageInfo.endCursor
    const query = `query ($after: String, $search: String, $filter: DeviceFilter) {
      devices(after: $after, search: $search, filter: $filter) { data { id } totalCount }
    }`
    const own = (await people.foreignKey.call(query, { after })).data as { devices: { totalCount: number } }
    expect(own.devices.totalCount).toBe(await countDevices(world, other.id))
    for (const variables of [{ search: 'hidden' }, { filter: { tags: ['hidden'] } }]) {
      expect((await people.foreignKey.call(query, variables)).data).toEqual({ devices: { data: [], totalCount: 0 } })
    }
  })

  const countDevices = async (world: World, organizationId: string) =>
    (await world.database.read.selectFrom('device').select('id').where('organizationId', '=', organizationId).execute())
      .length
})

describe('a malformed id gives the same answer as an unknown id', () => {
  it.for(WITH_ID)('%s', async ([_name, query], { people }) => {
    const neverWas = told(await people.admin.call(query, { id: NEVER_WAS }))
    expect(neverWas.errors).toMatchObject([{ code: 'NOT_FOUND' }])
    for (const id of MALFORMED_IDS) expect(told(await people.admin.call(query, { id }))).toEqual(neverWas)
  })
})

it('A4: { devices { data { id name } } } returns the devices of the organization of the key', async ({ world }) => {
  const zoe = await world.signUp('Zoe')
  const zoo = await world.organization('Zoo', { admin: zoe })
  const key = world.asKey((await world.generateKey(zoe, zoo)).secret)
  expect((await key.call('{ devices { data { id name } } }')).data).toEqual({ devices: { data: [] } })
  const [first, second] = [await newDevice(key), await newDevice(key)]
  for (const _time of ['a new document', 'a known one']) {
    const answer = await key.call('{ devices { data { id name } } }')
    expect(answer).toMatchObject({ status: 200, errors: [], data: { devices: { data: [first, second] } } })
  }
})
