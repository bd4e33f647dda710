import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Call, fieldOf, invited, peopleAs, usersOf } from '../../test/support/people.ts'
import {
  PASSWORD,
  type Person,
  startWorld,
  type TestKey,
  type TestOrganization,
  type World,
} from '../../test/support/world.ts'
import { SECOND } from '../lib/clock.ts'

let world: World
let ada: Person
let acme: TestOrganization
let key: TestKey
let addresses = 0
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  ada = await world.signUp('Ada')
  acme = await world.organization('Acme', { admin: ada })
  key = await world.generateKey(ada, acme)
})
afterAll(() => world.close())

const inAcme: Call = (query, variables) => ada.call(query, variables, acme.slug)
const newAddress = () => `new-${++addresses}@example.com`
const byKey = (by = key) => invited(world.asKey(by.secret).call, { email: newAddress() })
const accept = (token: string) => world.post('/auth/accept-invitation', { token, name: 'Lin', password: PASSWORD })

async function childOf({ secret }: TestKey): Promise<TestKey> {
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
const listed = async (args: object = {}) =>
  fieldOf<Invited>(await inAcme(INVITED, { id: key.id, ...args })).invitedUsers

it('C13: the people whom a key invited are listed page by page, those who have accepted among them, and none whom others invited', async () => {
  const first = await byKey()
  world.clock.advance(SECOND)
  const second = await byKey()
  await invited(inAcme, { email: newAddress() })
  expect((await accept(first.token)).status).toBe(200)
  const both = await listed()
  expect(both).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: false } })
  expect(new Set(both.data)).toEqual(
    new Set([
      { email: first.user.email, invited: false },
      { email: second.user.email, invited: true },
    ]),
  )
  const page = await listed({ first: 1 })
  const rest = await listed({ first: 1, after: page.pageInfo.endCursor })
  expect([...page.data, ...rest.data]).toEqual(both.data)
  expect([page.pageInfo.hasNextPage, rest.pageInfo.hasNextPage]).toEqual([true, false])
})

it('C13: on request also those are listed whom the keys invited that it made, directly or through others', async () => {
  const child = await childOf(key)
  const grandchild = await childOf(child)
  const other = await world.generateKey(ada, acme)
  const emails = []
  for (const by of [key, child, grandchild]) {
    emails.push((await byKey(by)).user.email)
    world.clock.advance(SECOND)
  }
  await byKey(other)
  const of = async (args: object) => (await listed(args)).data.map(({ email }) => email)
  expect([await of({}), await of({ all: false }), await of({ all: true })]).toEqual([
    emails.slice(0, 1),
    emails.slice(0, 1),
    emails,
  ])
})

it('C13: the people whom a key invited stay members when it is revoked', async () => {
  const { token, user } = await byKey()
  await accept(token)
  fieldOf(await inAcme('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id }))
  expect(usersOf(await peopleAs(inAcme).list()).data).toContainEqual(
    expect.objectContaining({ id: user.id, invited: false }),
  )
})
