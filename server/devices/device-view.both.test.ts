import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { type Call, codesOf, eventsOf, fieldOf, joined, peopleAs } from '../../test/support/world/people.ts'
import { type Person, startWorld, type TestOrganization } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'
import { mintSecret } from '../secrets/secret.ts'

interface View {
  id: string
  name: string
  search: string
  shared: boolean
}

const VIEW = 'id name search shared'

function viewsAs(call: Call) {
  const save = (name: string, { search = 'status=OFFLINE', shared = false } = {}) =>
    call(`mutation ($input: SaveDeviceViewInput!) { saveDeviceView(input: $input) { ${VIEW} } }`, {
      input: { name, search, shared },
    })
  return {
    save,
    saved: async (...input: Parameters<typeof save>) => fieldOf<View>(await save(...input)),
    remove: (id: string) => call('mutation ($id: ID!) { deleteDeviceView(id: $id) }', { id }),
    list: async () => fieldOf<View[]>(await call(`{ deviceViews { ${VIEW} } }`)),
    names: async () => fieldOf<View[]>(await call('{ deviceViews { name } }')).map(({ name }) => name),
  }
}

const viewsIn = (person: Person, { slug }: TestOrganization) =>
  viewsAs((query, variables) => person.call(query, variables, slug))

const it = inOrganization(startWorld)
  .extend('admins', ({ acme }) => viewsAs(acme.call))
  .extend('bobs', ({ bob, acme }) => viewsIn(bob, acme))

describe('a saved view', () => {
  it('is of the person who saved it, or for everyone in the organization, and nobody else sees it', async ({
    world,
    ada,
    acme,
    admins,
    bobs,
  }) => {
    const own = await bobs.saved('mine', { search: 'search=press&tags=%5B%22berlin%22%5D' })
    const shared = await admins.saved('All that are offline', { shared: true })
    const adas = await admins.saved('hers')
    expect(own).toEqual({ ...own, name: 'mine', search: 'search=press&tags=%5B%22berlin%22%5D', shared: false })
    expect(await bobs.list()).toEqual([shared, own])
    expect(await admins.list()).toEqual([shared, adas])
    const elsewhere = viewsAs((await world.organization('Other', { admin: ada })).call)
    expect(await elsewhere.list()).toEqual([])
    expect(codesOf(await elsewhere.remove(shared.id))).toEqual(['NOT_FOUND'])
    expect(codesOf(await elsewhere.remove(adas.id))).toEqual(['NOT_FOUND'])
    expect(codesOf(await admins.remove(own.id))).toEqual(['NOT_FOUND'])
    expect(await viewsIn(await joined(world, acme, 'Cy', 'MEMBER'), acme).list()).toEqual([shared])
  })

  it('of everyone is saved, replaced and removed by an Admin, and the audit log says so', async ({
    acme,
    admins,
    bobs,
  }) => {
    expect(codesOf(await bobs.save('ours', { shared: true }))).toEqual(['FORBIDDEN'])
    const { id } = await admins.saved('ours', { shared: true })
    await admins.saved('ours', { shared: true })
    await admins.saved('ours', { shared: true, search: 'sort=-lastSeen' })
    expect(codesOf(await bobs.remove(id))).toEqual(['FORBIDDEN'])
    expect(await bobs.list()).toMatchObject([{ id, search: 'sort=-lastSeen' }])
    expect((await admins.remove(id)).data).toEqual({ deleteDeviceView: id })
    await admins.saved('hers')
    const lines = eventsOf(await peopleAs(acme.call).audit()).filter(({ action }) => action.startsWith('DEVICE_VIEW'))
    expect(lines.map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'DEVICE_VIEW_DELETED ours',
      'DEVICE_VIEW_SAVED ours',
      'DEVICE_VIEW_SAVED ours',
    ])
  })

  it('replaces the one of its name there', async ({ admins, bobs }) => {
    const first = await bobs.saved('Berlin')
    await admins.saved('Berlin', { shared: true })
    const again = await bobs.saved('BERLIN', { search: 'tags=x' })
    expect(again).toEqual({ ...first, name: 'BERLIN', search: 'tags=x' })
    expect(await bobs.names()).toEqual(['BERLIN', 'Berlin'])
  })

  it('is one of at most 50 of a person, and of 50 of everyone', async ({ admins, bobs }) => {
    const fill = async (shared: boolean) => {
      for (let i = 0; i < LIMITS.device_views; i++) await admins.saved(`view ${i}`, { shared })
    }
    await fill(false)
    expect(codesOf(await admins.save('one more'))).toEqual(['LIMIT_EXCEEDED'])
    await fill(true)
    expect(codesOf(await admins.save('one more', { shared: true }))).toEqual(['LIMIT_EXCEEDED'])
    expect(codesOf(await admins.save('view 1', { search: '' }))).toEqual([])
    expect(codesOf(await bobs.save('mine'))).toEqual([])
    expect(await bobs.list()).toHaveLength(LIMITS.device_views + 1)
  })

  it('ends with the membership of its person, who may come back, and one of everyone stays', async ({
    world,
    acme,
    bob,
    admins,
    bobs,
  }) => {
    await bobs.saved('mine')
    await admins.saved('ours', { shared: true })
    await peopleAs(acme.call).remove(bob.userId)
    expect(codesOf(await bobs.save('late'))).toEqual(['NOT_FOUND'])
    await world.join(acme, bob, 'MEMBER')
    expect(await bobs.names()).toEqual(['ours'])
  })

  it('stays when its person gets another role', async ({ acme, bob, bobs }) => {
    await bobs.saved('mine')
    await peopleAs(acme.call).changeRole(bob.userId, 'ADMIN')
    expect(await bobs.names()).toEqual(['mine'])
  })

  it.for([
    ['with `?`', '?status=OFFLINE'],
    ['with an escape that hides letters', 'search=%65mp'],
    ['too long', `search=${'x'.repeat(2000)}`],
    ['with a secret', `search=${mintSecret('emp_')}`],
    ['with most of a secret', `tags=%5B%22${mintSecret('emp_').slice(0, 30)}%22%5D`],
    ['with a control character', 'search=a%07'],
  ])('is refused %s', async ([, search], { admins }) => {
    expect((await admins.save('x', { search })).errors).toMatchObject([{ code: 'BAD_USER_INPUT' }])
    expect(await admins.list()).toEqual([])
  })
})

it('saved views are for people: a key is refused', async ({ world, key }) => {
  const { list, save, remove } = viewsAs(world.asKey(key.secret).call)
  await expect(list()).rejects.toThrow('FORBIDDEN')
  expect([...codesOf(await save('x')), ...codesOf(await remove('x'))]).toEqual(['FORBIDDEN', 'FORBIDDEN'])
})
