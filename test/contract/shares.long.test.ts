import { expect } from 'vitest'
import { LIMITS } from '../../server/config/limits.ts'
import { newId } from '../../server/lib/id.ts'
import { insertOrganization } from '../../server/organizations/organization.ts'
import { createUser } from '../../server/users/create-user.ts'
import { inWorld } from '../support/world/fixtures.ts'
import { codesOf, fieldOf } from '../support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../support/world/world.ts'

/*
 * How much an organization or a person may have. What is there already is put into the database, so that no test makes a
 * million devices.
 */

const DAY = 24 * 60 * 60 * 1000

const it = inWorld(startWorld)

const inAcme = (acme: TestOrganization, query: string, variables: object = {}) => acme.call(query, variables)
const create = (acme: TestOrganization, name: string) =>
  inAcme(acme, 'mutation ($name: String!) { createDevice(input: { name: $name }) { id } }', { name })
const invite = (acme: TestOrganization, email: string) =>
  inAcme(acme, 'mutation ($email: String!) { inviteUser(input: { email: $email }) { user { id } } }', { email })

const setDeviceCount = (world: World, acme: TestOrganization, devices: number) =>
  world.database.transaction((db) =>
    db.updateTable('deviceCount').set({ devices }).where('organizationId', '=', acme.id).execute(),
  )

const metric = async (world: World, limit: string) => {
  const text = await (await fetch(`${world.url}/metrics`)).text()
  return Number(new RegExp(`portal_limit_refusals_total\\{limit="${limit}"\\} (\\d+)`).exec(text)?.[1] ?? 0)
}

it('an organization has at most 1,000,000 devices, by a stored count; the refusal says what to do', async ({
  world,
  acme,
}) => {
  const before = await metric(world, 'devices')
  const first = fieldOf<{ id: string }>(await create(acme, 'edge-1'))
  await setDeviceCount(world, acme, LIMITS.devices - 1)
  fieldOf(await create(acme, 'edge-2'))
  const { errors } = await create(acme, 'edge-3')
  expect(errors).toMatchObject([
    {
      code: 'LIMIT_EXCEEDED',
      message: 'An organization has at most 1,000,000 devices: delete those that no longer exist.',
    },
  ])
  expect(await metric(world, 'devices')).toBe(before + 1)
  await inAcme(acme, 'mutation ($id: ID!) { deleteDevice(id: $id) }', first)
  expect(codesOf(await create(acme, 'edge-3'))).toEqual([])
  await setDeviceCount(world, acme, 2)
})

it('a device whose name is taken is not counted', async ({ world, acme }) => {
  const counted = () => world.database.read.selectFrom('deviceCount').select('devices').execute()
  const before = await counted()
  expect(codesOf(await create(acme, 'edge-2'))).toEqual(['CONFLICT'])
  expect(await counted()).toEqual(before)
})

it('an organization has at most 1,000 open invitations; a repeated one does not count again, and expired ones do not count', async ({
  world,
  acme,
}) => {
  const now = world.clock.now()
  const row = (i: number) => ({
    id: newId(now),
    organizationId: acme.id,
    email: `invited-${i}@example.com`,
    name: '',
    role: 'MEMBER' as const,
    tokenHash: Buffer.from(`hash ${i}`),
    createdAt: now,
    expiresAt: now + DAY,
  })
  const rows = Array.from({ length: LIMITS.open_invitations }, (_, i) => row(i))
  await world.database.transaction((db) => db.insertInto('invitation').values(rows).execute())
  expect((await invite(acme, 'one-more@example.com')).errors).toMatchObject([
    { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('at most 1,000 open invitations: withdraw some') },
  ])
  expect(codesOf(await invite(acme, 'invited-7@example.com'))).toEqual([])
  await world.database.transaction((db) => db.updateTable('invitation').set({ expiresAt: now }).execute())
  expect(codesOf(await invite(acme, 'one-more@example.com'))).toEqual([])
})

it('a person creates at most 20 organizations, including those that they have left', async ({ world }) => {
  const bob = await world.signUp('Bob')
  await world.database.transaction(async (db) => {
    for (let i = 0; i < LIMITS.organizations_created; i++) {
      const made = { kind: 'ORGANIZATION', name: `Bob's ${i}`, createdById: bob.userId } as const
      await insertOrganization(db, world.clock.now(), made)
    }
  })
  expect((await bob.call('mutation { createOrganization(name: "One more") { id } }')).errors).toMatchObject([
    { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('ask the operator of the portal') },
  ])
  const carol = await world.signUp('Carol')
  expect(codesOf(await carol.call('mutation { createOrganization(name: "Another") { id } }'))).toEqual([])
})

it('an organization has at most 10,000 people', async ({ world, ada }) => {
  const big = await world.organization('Big', { admin: ada })
  const now = world.clock.now()
  await world.database.transaction(async (db) => {
    const { personalOrganization } = await createUser(db, now, {
      email: 'd@example.com',
      name: 'D',
      passwordHash: '',
      isVerified: true,
    })
    const ids = Array.from({ length: LIMITS.people - 2 }, () => newId(now)) // one is left, with the Admin
    for (let i = 0; i < ids.length; i += 500) await insertMembers(ids.slice(i, i + 500))

    async function insertMembers(some: string[]): Promise<void> {
      const slugs = some.map((id) => ({ ...personalOrganization, id: `o${id}`, slug: `s${id}` }))
      await db.insertInto('organization').values(slugs).execute()
      const users = some.map((id) => ({
        id,
        email: id,
        name: id,
        passwordHash: '',
        support: 0 as const,
        createdAt: now,
      }))
      await db
        .insertInto('user')
        .values(users.map((user) => ({ ...user, personalOrganizationId: `o${user.id}` })))
        .execute()
      const member = { organizationId: big.id, role: 'MEMBER' as const, createdAt: now }
      await db
        .insertInto('membership')
        .values(some.map((userId) => ({ ...member, userId })))
        .execute()
    }
  })
  const invite = (email: string) => big.call(`mutation { inviteUser(input: { email: "${email}" }) { link } }`)
  expect((await invite('the-last@example.com')).errors).toEqual([])
  expect((await invite('one-too-many@example.com')).errors).toMatchObject([
    { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('at most 10,000 people') },
  ])
})
