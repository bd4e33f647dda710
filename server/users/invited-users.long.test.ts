import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { fieldOf, invited, peopleAs, usersOf } from '../../test/support/world/people.ts'
import {
  PASSWORD,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../test/support/world/world.ts'
import { SECOND } from '../lib/clock.ts'

const it = inOrganization(startWorld)

let addresses = 0

const newAddress = () => `new-${++addresses}@example.com`
const byKey = (world: World, key: TestKey, by = key) => invited(world.asKey(by.secret).call, { email: newAddress() })
const accept = (world: World, token: string) =>
  world.post('/auth/accept-invitation', { token, name: 'Lin', password: PASSWORD })

async function childOf(world: World, { secret }: TestKey): Promise<TestKey> {
  const made = await world.asKey(secret).call('mutation { generateApiKey { secret apiKey { id label } } }')
  const { apiKey, ...child } = fieldOf<{ secret: string; apiKey: Omit<TestKey, 'secret'> }>(made)
  return { ...child, ...apiKey }
}

const INVITED = `query ($id: ID!, $first: Int, $after: String, $all: Boolean) { apiKey(id: $id) {
  invitedUsers(first: $first, after: $after, includeDescendants: $all) {
  data { email invited } totalCount pageInfo { hasNextPage endCursor } } } }`
interface Invited {
  invitedUsers: {
    data: { email: string; invited: boolean }[]
    totalCount: number
    pageInfo: { hasNextPage: boolean; endCursor: string }
  }
}
const listed = async (acme: TestOrganization, key: TestKey, args: object = {}) =>
  fieldOf<Invited>(await acme.call(INVITED, { id: key.id, ...args })).invitedUsers

it('C13: the people whom a key invited are listed in pages, including those who accepted, and none whom others invited', async ({
  world,
  acme,
  key,
}) => {
  const first = await byKey(world, key)
  world.clock.advance(SECOND)
  const second = await byKey(world, key)
  await invited(acme.call, { email: newAddress() })
  expect((await accept(world, first.token)).status).toBe(200)
  const both = await listed(acme, key)
  expect(both).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: false } })
  expect(new Set(both.data)).toEqual(
    new Set([
      { email: first.user.email, invited: false },
      { email: second.user.email, invited: true },
    ]),
  )
  const page = await listed(acme, key, { first: 1 })
  const rest = await listed(acme, key, { first: 1, after: page.pageInfo.endCursor })
  expect([...page.data, ...rest.data]).toEqual(both.data)
  expect([page.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false])
})

it('C13: on request, also those invited by the keys that it generated, directly or through others', async ({
  world,
  acme,
  key,
}) => {
  const child = await childOf(world, key)
  const grandchild = await childOf(world, child)
  const other = await acme.generateKey()
  const emails = []
  for (const by of [key, child, grandchild]) {
    emails.push((await byKey(world, key, by)).user.email)
    world.clock.advance(SECOND)
  }
  await byKey(world, key, other)
  const of = async (args: object) => (await listed(acme, key, args)).data.map(({ email }) => email)
  expect([await of({}), await of({ all: false }), await of({ all: true })]).toEqual([
    emails.slice(0, 1),
    emails.slice(0, 1),
    emails,
  ])
})

it('C13: the people whom a key invited stay members when it is revoked', async ({ world, acme, key }) => {
  const { token, user } = await byKey(world, key)
  await accept(world, token)
  fieldOf(await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }))
  expect(usersOf(await peopleAs(acme.call).list()).data).toContainEqual(
    expect.objectContaining({ id: user.id, invited: false }),
  )
})
