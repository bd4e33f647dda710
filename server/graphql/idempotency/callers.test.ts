import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import {
  byKey,
  byPerson,
  codesIn,
  dataOf,
  type KeyedAnswer,
  type Send,
} from '../../../test/support/world/keyed-calls.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'

const ORDER = { 'idempotency-key': 'order-2026-11-18-1' }
const GENERATE = { query: 'mutation { generateApiKey(input: { label: "made" }) { secret apiKey { id } } }' }
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 3600) { secret } }'

const it = inOrganization(startWorld)

const newKey = async (world: World, { generateKey }: TestOrganization): Promise<Send> =>
  byKey(world, (await generateKey()).secret)

const secretIn = (answer: KeyedAnswer) => dataOf<{ secret: string }>(answer).secret

/** Each sends the same request with the same value, and again: each has what was done for them, and nothing of others. */
async function expectApart(callers: Send[]): Promise<void> {
  const first = await Promise.all(callers.map((send) => send(GENERATE, ORDER)))
  expect(first.map((answer) => [codesIn(answer), answer.isReplayed])).toEqual(callers.map(() => [[], false]))
  expect(new Set(first.map(secretIn)).size).toBe(callers.length)
  const again = await Promise.all(callers.map((send) => send(GENERATE, ORDER)))
  expect(again).toEqual(first.map((answer) => ({ ...answer, isReplayed: true })))
}

describe('a value that others use too', () => {
  it('is apart for each key of an organization', async ({ world, acme }) => {
    await expectApart([await newKey(world, acme), await newKey(world, acme), await newKey(world, acme)])
  })

  it('is apart for a person, another Admin and a key that one of them has generated', async ({
    world,
    ada,
    bob,
    acme,
  }) => {
    await acme.call(`mutation { changeUserRole(userId: "${bob.userId}", role: ADMIN) { id } }`)
    await expectApart([byPerson(world, ada, acme), byPerson(world, bob, acme), await newKey(world, acme)])
  })

  it('is apart for keys of different organizations', async ({ world, ada, acme }) => {
    const beta = await world.organization('Beta', { admin: ada })
    await expectApart([await newKey(world, acme), await newKey(world, beta)])
  })

  it('is apart for a key and the one that replaces it', async ({ world, acme, key }) => {
    const old = byKey(world, key.secret)
    const rotated = await acme.call(ROTATE, { id: key.id })
    const { rotateApiKey } = rotated.data as { rotateApiKey: { secret: string } }
    await expectApart([old, byKey(world, rotateApiKey.secret)])
  })

  it('says nothing about them: a guess is a request of its own', async ({ world, acme }) => {
    const [one, other] = [await newKey(world, acme), await newKey(world, acme)]
    const theirs = await one(GENERATE, ORDER)
    const guess = await other({ query: GENERATE.query.replace('made', 'guessed') }, ORDER)
    expect([guess.status, codesIn(guess), guess.isReplayed]).toEqual([200, [], false])
    expect(guess.text).not.toContain(secretIn(theirs))
  })

  it('is one for a person in two organizations: the second is refused', async ({ world, ada, acme }) => {
    const beta = await world.organization('Beta', { admin: ada })
    const first = await byPerson(world, ada, acme)(GENERATE, ORDER)
    const second = await byPerson(world, ada, beta)(GENERATE, ORDER)
    expect([second.status, codesIn(second)]).toEqual([409, ['CONFLICT']])
    expect(second.text).not.toContain(secretIn(first))
  })
})
