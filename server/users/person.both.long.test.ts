import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { type Call, codesOf, invited, joined, namesOf, peopleAs, usersOf } from '../../test/support/world/people.ts'
import { type Person, startWorld, type TestOrganization } from '../../test/support/world/world.ts'
import { HOUR, MINUTE } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { encodeCursor } from '../lib/page.ts'

const it = inWorld(startWorld)
  .extend('bob', { scope: 'file' }, async ({ world, acme }) => {
    world.clock.advance(MINUTE)
    await invited(acme.call, { email: 'zoe@example.com', name: 'Ärger, Zoë', role: 'ADMIN' })
    world.clock.advance(MINUTE)
    const bob = await joined(world, acme, 'Bob', 'MEMBER')
    world.clock.advance(MINUTE)
    await invited(acme.call, { email: 'carol@example.com' })
    return bob
  })
  .extend('members', { auto: true }, ({ bob }) => [bob])

function as(acme: TestOrganization, person: Person): Call {
  return (query, variables) => person.call(query, variables, acme.slug)
}

const EVERYBODY = ['Ada', 'Ärger, Zoë', 'Bob', 'carol@example.com']

describe('the list of users', () => {
  it('C3: lists members and invited people, the earliest first, for an Admin, a Member and a key', async ({
    world,
    ada,
    bob,
    acme,
  }) => {
    const key = world.asKey((await acme.generateKey()).secret)
    for (const call of [as(acme, ada), as(acme, bob), key.call]) {
      const { data, totalCount, pageInfo } = usersOf(await peopleAs(call).list())
      expect(data.map(({ name }) => name)).toEqual(EVERYBODY)
      expect(data.map(({ invited }) => invited)).toEqual([false, true, false, true])
      expect(totalCount).toBe(4)
      expect(pageInfo).toMatchObject({ hasNextPage: false })
    }
  })

  it('pages by cursor, each person once, whatever is added or removed in between', async ({ ada, acme }) => {
    const seen: string[] = []
    for (let after: string | null = null, more = true; more; ) {
      const page = usersOf(await peopleAs(as(acme, ada)).list({ first: 1, after }))
      seen.push(...page.data.map(({ name }) => name))
      expect(page.totalCount).toBe(4)
      after = page.pageInfo.endCursor
      more = page.pageInfo.hasNextPage
    }
    expect(seen).toEqual(EVERYBODY)
  })

  it('searches by prefix of the name or the address, in any case and any script', async ({ bob, acme }) => {
    const found = async (search: string) => namesOf(await peopleAs(as(acme, bob)).list({ search }))
    expect(await found('a')).toEqual(['Ada'])
    expect(await found('ＡＤＡ')).toEqual(['Ada'])
    expect(await found('äRGER')).toEqual(['Ärger, Zoë'])
    expect(await found('a\u0308rger')).toEqual(['Ärger, Zoë'])
    expect(await found('ZOE@')).toEqual(['Ärger, Zoë'])
    expect(await found(' Car ')).toEqual(['carol@example.com'])
    expect(await found('da')).toEqual([])
    expect(await found('%')).toEqual([])
    expect(await found('')).toEqual(EVERYBODY)
    const { totalCount } = usersOf(await peopleAs(as(acme, bob)).list({ search: 'b' }))
    expect(totalCount).toBe(1)
  })

  it('sorts by name, role or time, each way, and pages of an order go on where the last one ended', async ({
    ada,
    acme,
  }) => {
    const list = peopleAs(as(acme, ada)).list
    const orders = {
      NAME: ['Ada', 'Bob', 'carol@example.com', 'Ärger, Zoë'],
      ROLE: ['Ada', 'Ärger, Zoë', 'Bob', 'carol@example.com'],
      CREATED_AT: EVERYBODY,
    }
    const cursors: [order: object | undefined, after: string][] = [
      [undefined, usersOf(await list({ first: 1 })).pageInfo.endCursor],
    ]
    for (const [field, names] of Object.entries(orders)) {
      expect(namesOf(await list({ orderBy: { field } }))).toEqual(names)
      for (const [direction, expected] of [['ASC', names] as const, ['DESC', names.toReversed()] as const]) {
        const orderBy = { field, direction }
        const first = usersOf(await list({ orderBy, first: 3 }))
        const second = usersOf(await list({ orderBy, first: 3, after: first.pageInfo.endCursor }))
        expect([...first.data, ...second.data].map(({ name }) => name)).toEqual(expected)
        expect([first.totalCount, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([4, true, false])
        if (field !== 'CREATED_AT' || direction === 'DESC') cursors.push([orderBy, first.pageInfo.endCursor])
      }
    }
    expect(namesOf(await list({ search: 'a', orderBy: { field: 'NAME', direction: 'DESC' } }))).toEqual(['Ada'])
    for (const [orderBy, after] of cursors) {
      for (const [other] of cursors) {
        const { errors } = await list({ orderBy: other, after })
        if (other === orderBy) expect(errors).toEqual([])
        else
          expect([orderBy, other, errors]).toMatchObject([orderBy, other, [{ code: 'BAD_USER_INPUT', field: 'after' }]])
      }
    }
  })

  it('searches many people in pages', async ({ world, ada }) => {
    const crowd = await world.organization('Crowd', { admin: ada })
    const createdAt = world.clock.now()
    const person = (i: number) => {
      const id = newId(createdAt)
      const name = i % 3 === 0 ? `MÜLLER ${i}` : `Meier ${i}`
      const tokenHash = Buffer.from(id)
      const expiresAt = createdAt + HOUR
      return {
        id,
        organizationId: crowd.id,
        email: `${i}@example.com`,
        name,
        role: 'MEMBER',
        tokenHash,
        createdAt,
        expiresAt,
      } as const
    }
    const rows = Array.from({ length: 1200 }, (_, i) => person(i))
    await world.database.transaction(async (db) => {
      for (const row of rows) await db.insertInto('invitation').values(row).execute()
    })
    const list = peopleAs((query, variables) => crowd.call(query, variables)).list
    const first = usersOf(await list({ search: 'müller', first: 300 }))
    const second = usersOf(await list({ search: 'müller', first: 300, after: first.pageInfo.endCursor }))
    const names = [...first.data, ...second.data].map(({ name }) => name)
    expect([first.data.length, first.pageInfo.hasNextPage, second.pageInfo.hasNextPage]).toEqual([300, true, false])
    expect(new Set(names)).toEqual(new Set(rows.map(({ name }) => name).filter((name) => name.startsWith('M\u00dc'))))
    expect([first.totalCount, names.length]).toEqual([400, 400])
    const whole = usersOf(await list({ first: 500 }))
    expect([whole.data.length, whole.totalCount]).toEqual([500, 1201])

    const inOrder = ['Ada', ...rows.map(({ name }) => name)].toSorted((a, b) =>
      a.toLowerCase() < b.toLowerCase() ? -1 : 1,
    )
    for (const direction of ['ASC', 'DESC']) {
      const seen: string[] = []
      for (let after: string | null = null, more = true; more; ) {
        const page = usersOf(await list({ orderBy: { field: 'NAME', direction }, first: 500, after }))
        seen.push(...page.data.map(({ name }) => name))
        after = page.pageInfo.endCursor
        more = page.pageInfo.hasNextPage
      }
      expect(seen).toEqual(direction === 'ASC' ? inOrder : inOrder.toReversed())
    }
  })

  it('omits an expired invitation', async ({ world, ada }) => {
    const club = await world.organization('Club', { admin: ada })
    const call: Call = (query, variables) => club.call(query, variables)
    const { user } = await invited(call, { email: 'late@example.com' })
    const now = world.clock.now()
    await world.database.transaction((db) =>
      db.updateTable('invitation').set({ expiresAt: now }).where('id', '=', user.id).execute(),
    )
    const { data, totalCount } = usersOf(await peopleAs(call).list())
    expect(data.map(({ name }) => name)).toEqual(['Ada'])
    expect(totalCount).toBe(1)
    expect(codesOf(await peopleAs(call).changeRole(user.id, 'ADMIN'))).toEqual(['NOT_FOUND'])
    expect(codesOf(await peopleAs(call).remove(user.id))).toEqual(['NOT_FOUND'])
  })

  it('refuses an invalid page or cursor', async ({ ada, acme }) => {
    const list = peopleAs(as(acme, ada)).list
    const bad = [
      { first: 0 },
      { first: -1 },
      { first: 501 },
      { after: 'garbage' },
      { after: encodeCursor(['a', 'b']) },
      { search: 'a\u0000' },
    ]
    for (const args of bad) {
      const [field] = Object.keys(args)
      expect((await list(args)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
    }
  })

  it('A3: shows nothing to strangers, support, without a session or to a key of another organization', async ({
    world,
    ada,
    acme,
  }) => {
    const [eve, sam] = await Promise.all([world.signUp('Eve'), world.signUp('Sam')])
    await world.support(sam)
    for (const person of [eve, sam]) expect(codesOf(await peopleAs(as(acme, person)).list())).toEqual(['NOT_FOUND'])
    expect(codesOf(await peopleAs(world.nobody().call).list())).toEqual(['UNAUTHENTICATED'])
    const evil = await world.organization('Evil', { admin: eve })
    const foreign = world.asKey((await world.generateKey(eve, evil)).secret)
    expect(namesOf(await peopleAs(foreign.call).list())).toEqual(['Eve'])
    const cursor = encodeCursor([0, ada.userId])
    expect(namesOf(await peopleAs(foreign.call).list({ after: cursor }))).toEqual(['Eve'])
  })
})
