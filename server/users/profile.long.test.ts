import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf, namesOf, peopleAs } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { SECOND } from '../lib/clock.ts'
import { markSupport } from './support.ts'

const UPDATE = 'mutation ($name: String!) { updateProfile(name: $name) { id name role } }'

const it = inWorld(startWorld)

describe('the profile of a person', () => {
  it('changes the name everywhere, including the personal account, also for a Member', async ({ world }) => {
    const [ada, bob] = await Promise.all([world.signUp('Ada'), world.signUp('Bob')])
    const acme = await world.organization('Acme', { admin: ada })
    await world.join(acme, bob, 'MEMBER')
    world.clock.advance(SECOND)
    const answer = await bob.call(UPDATE, { name: 'Robert' }, acme.slug)
    expect(fieldOf(answer)).toEqual({ id: bob.userId, name: 'Robert', role: 'MEMBER' })
    const names = namesOf(await peopleAs((query, variables) => acme.call(query, variables)).list())
    expect(names.sort()).toEqual(['Ada', 'Robert'])
    const own = await bob.call('{ viewer { user { name } organization { name slug } } }')
    expect(own.data).toEqual({
      viewer: { user: { name: 'Robert' }, organization: { name: 'Robert', slug: bob.personalSlug } },
    })
    const [event] = eventsOf(await peopleAs(bob.call).audit())
    expect(event).toMatchObject({ action: 'ORGANIZATION_UPDATED', subject: 'Robert', details: 'was Bob' })
    const ours = eventsOf(await peopleAs((query, variables) => acme.call(query, variables)).audit())
    expect(JSON.stringify(ours)).not.toContain('Robert')
  })

  it('refuses an invalid name', async ({ world }) => {
    const ada = await world.signUp('Ada')
    for (const name of ['', '   ', ' Robert', 'x'.repeat(81), 'a\nb']) {
      expect((await ada.call(UPDATE, { name })).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: 'name' }])
    }
  })

  it('is refused to a key, and without a session', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const acme = await world.organization('Acme', { admin: ada })
    const key = world.asKey((await acme.generateKey()).secret)
    expect(codesOf(await key.call(UPDATE, { name: 'Key' }))).toEqual(['FORBIDDEN'])
    expect(codesOf(await world.nobody().call(UPDATE, { name: 'Nobody' }))).toEqual(['UNAUTHENTICATED'])
  })
})

describe('support staff', () => {
  it('are added and removed with the next request, and it is recorded in the personal account', async ({ world }) => {
    const sam = await world.signUp('Sam')
    const isSupport = async () =>
      (await sam.call('{ supportOrganizations(first: 1) { totalCount } }')).errors.length === 0
    const mark = (support: boolean) =>
      markSupport(world.database, world.clock.now(), ` ${sam.email.toUpperCase()} `, support)
    expect(await isSupport()).toBe(false)
    world.clock.advance(SECOND)
    expect(await mark(true)).toBe(true)
    expect(await isSupport()).toBe(true)
    world.clock.advance(SECOND)
    expect(await mark(false)).toBe(true)
    expect(await isSupport()).toBe(false)
    const actor = { kind: 'SYSTEM', name: 'command line' }
    expect(eventsOf(await peopleAs(sam.call).audit()).slice(0, 2)).toEqual([
      { action: 'SUPPORT_REVOKED', subject: 'Sam', details: null, actor },
      { action: 'SUPPORT_GRANTED', subject: 'Sam', details: null, actor },
    ])
  })

  it('must have an account', async ({ world }) => {
    expect(await markSupport(world.database, world.clock.now(), 'nobody@example.com', true)).toBe(false)
  })
})
