import { describe, expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { codesOf } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'

const VIEWER = `{ viewer { user { id name email role invited } apiKey { id label } role support
  organization { name } organizations { name kind } } }`

const it = inWorld(startWorld)

describe('the viewer', () => {
  it('is the person, with their role in the current organization', async ({ world }) => {
    const [ada, bob] = [await world.signUp('Ada'), await world.signUp('Bob')]
    const acme = await world.organization('Acme', { admin: ada })
    await world.join(acme, bob, 'MEMBER')
    const { data } = await bob.call(VIEWER, {}, acme.slug)
    expect(data).toEqual({
      viewer: {
        user: { id: bob.userId, name: 'Bob', email: bob.email, role: 'MEMBER', invited: false },
        apiKey: null,
        role: 'MEMBER',
        support: false,
        organization: { name: 'Acme' },
        organizations: [
          { name: 'Bob', kind: 'PERSONAL' },
          { name: 'Acme', kind: 'ORGANIZATION' },
        ],
      },
    })
    const own = await bob.call('{ viewer { role user { role } organization { name } } }')
    expect(own.data).toEqual({ viewer: { role: 'ADMIN', user: { role: 'ADMIN' }, organization: { name: 'Bob' } } })
  })

  it('A3: is the key, an Admin of its own organization and no other', async ({ world }) => {
    const ada = await world.signUp('Ada')
    const acme = await world.organization('Acme', { admin: ada })
    await world.organization('Other', { admin: ada })
    const key = await acme.generateKey({ label: 'ci' })
    const { data } = await world.asKey(key.secret).call(VIEWER)
    expect(data).toEqual({
      viewer: {
        user: null,
        apiKey: { id: key.id, label: 'ci' },
        role: 'ADMIN',
        support: false,
        organization: { name: 'Acme' },
        organizations: [{ name: 'Acme', kind: 'ORGANIZATION' }],
      },
    })
  })

  it('says whether the person is support staff', async ({ world }) => {
    const sam = await world.signUp('Sam')
    await world.support(sam)
    expect((await sam.call('{ viewer { support } }')).data).toEqual({ viewer: { support: true } })
  })

  it('is refused without a key', async ({ world }) => {
    expect(codesOf(await world.nobody().call(VIEWER))).toEqual(['UNAUTHENTICATED'])
  })
})
