import { expect } from 'vitest'
import { CHANGES, changesOf, inLeak, linesOf, REVOKE } from '../../../test/support/world/key-changes.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { deleteRowsOfDeletedKeys } from '../deletion.ts'

const it = inLeak(startWorld)

it('lists every write of a key with the values before and after, its address and its subject', async ({
  acme,
  leaked,
  by,
}) => {
  const id = await by(leaked).addDevice({ name: 'edge-1', description: 'Ünïcödé 🛰\nline 2', tags: ['lte'] })
  await by(leaked).updateDevice(id, { tags: [], enabled: false, location: { name: 'Lyon' } })
  await by(leaked).call('mutation ($id: ID!) { checkInDevice(id: $id, input: { firmwareVersion: "2" }) { id } }', {
    id,
  })
  await by(leaked).call('mutation ($id: ID!) { deleteDevice(id: $id) }', { id })
  await by(leaked).call('mutation { updateOrganization(input: { name: "Owned" }) { id } }')
  const { data, totalCount, keyCount, isComplete } = await changesOf(acme, leaked)
  const common = {
    at: expect.any(String),
    ip: '127.0.0.1',
    actor: { kind: 'API_KEY', id: leaked.id, name: 'leaked' },
  }
  const device = { ...common, subject: 'edge-1', subjectType: 'DEVICE', subjectId: id }
  const location = { name: 'Lyon', address: null, latitude: null, longitude: null, timeZone: null }
  expect(data).toEqual([
    {
      ...common,
      action: 'ORGANIZATION_UPDATED',
      subject: 'Owned',
      subjectType: 'ORGANIZATION',
      subjectId: acme.id,
      changes: [{ field: 'name', before: 'Acme', after: 'Owned' }],
    },
    {
      ...device,
      action: 'DEVICE_DELETED',
      changes: [
        { field: 'name', before: 'edge-1', after: null },
        { field: 'description', before: 'Ünïcödé 🛰\nline 2', after: null },
        { field: 'enabled', before: false, after: null },
        { field: 'location', before: location, after: null },
        { field: 'tags', before: [], after: null },
        { field: 'firmwareVersion', before: '2', after: null },
      ],
    },
    { ...device, action: 'DEVICE_UPDATED', changes: [{ field: 'firmwareVersion', before: null, after: '2' }] },
    {
      ...device,
      action: 'DEVICE_UPDATED',
      changes: [
        { field: 'enabled', before: true, after: false },
        { field: 'location', before: null, after: location },
        { field: 'tags', before: ['lte'], after: [] },
      ],
    },
    {
      ...device,
      action: 'DEVICE_CREATED',
      changes: [
        { field: 'name', before: null, after: 'edge-1' },
        { field: 'description', before: null, after: 'Ünïcödé 🛰\nline 2' },
        { field: 'enabled', before: null, after: true },
        { field: 'tags', before: null, after: ['lte'] },
      ],
    },
  ])
  expect({ totalCount, keyCount, isComplete }).toEqual({ totalCount: 5, keyCount: 1, isComplete: true })
})

it('lists the writes of keys and people: invitations, roles, keys, the policy and the switch', async ({
  acme,
  leaked,
  by,
}) => {
  const { call } = by(leaked)
  const { user } = fieldOf<{ user: { id: string } }>(
    await call('mutation { inviteUser(input: { email: "eve@example.com" }) { user { id } } }'),
  )
  await call('mutation ($id: ID!) { changeUserRole(userId: $id, role: ADMIN) { id } }', { id: user.id })
  await call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: user.id })
  await call('mutation ($id: ID!) { renameApiKey(id: $id, label: "better") { id } }', { id: leaked.id })
  await call('mutation { setApiKeyPolicy(input: { maxKeys: 50, allowedNetworks: ["127.0.0.0/8"] }) { maxKeys } }')
  await call('mutation { setApiKeysEnabled(enabled: false) { id } }')
  const { data } = await changesOf(acme, leaked)
  expect(data.map(({ action, changes }) => [action, changes])).toEqual([
    ['API_KEYS_SWITCHED_OFF', [{ field: 'apiKeysEnabled', before: true, after: false }]],
    [
      'API_KEYS_POLICY_CHANGED',
      [
        { field: 'maxKeys', before: null, after: 50 },
        { field: 'allowedNetworks', before: [], after: ['127.0.0.0/8'] },
      ],
    ],
    ['API_KEY_RENAMED', [{ field: 'label', before: 'leaked', after: 'better' }]],
    [
      'USER_REMOVED',
      [
        { field: 'name', before: expect.any(String), after: null },
        { field: 'email', before: 'eve@example.com', after: null },
        { field: 'role', before: 'ADMIN', after: null },
      ],
    ],
    ['USER_ROLE_CHANGED', [{ field: 'role', before: 'MEMBER', after: 'ADMIN' }]],
    [
      'USER_INVITED',
      [
        { field: 'email', before: null, after: 'eve@example.com' },
        { field: 'role', before: null, after: 'MEMBER' },
        { field: 'expiresAt', before: null, after: expect.stringMatching(/^2026-11-18T/) },
      ],
    ],
  ])
})

it('lists from a moment on, in pages, and counts', async ({ world, acme, leaked, by }) => {
  const child = await by(leaked).generate('child')
  for (let i = 0; i < 4; i++) {
    world.clock.advance(HOUR)
    await by(i % 2 === 0 ? leaked : child).addDevice({ name: `edge-${i}` })
  }
  const since = new Date(world.clock.now() - 2 * HOUR).toISOString()
  const first = await changesOf(acme, leaked, { since, first: 2 })
  expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } })
  expect(linesOf(first)).toEqual(['child: DEVICE_CREATED edge-3', 'leaked: DEVICE_CREATED edge-2'])
  const second = await changesOf(acme, leaked, { since, first: 2, after: first.pageInfo.endCursor })
  expect(linesOf(second)).toEqual(['child: DEVICE_CREATED edge-1'])
  expect(second.pageInfo.hasNextPage).toBe(false)
  expect((await changesOf(acme, leaked, { since: '2999-01-01T00:00:00Z' })).data).toEqual([])
})

it("a key of another organization, an unknown id and a person's id are NOT_FOUND, and a Member is FORBIDDEN", async ({
  world,
  ada,
  acme,
  bob,
  leaked,
  by,
}) => {
  const globex = await world.organization('Globex', { admin: ada })
  const theirs = await globex.generateKey({ label: 'theirs' })
  await by(theirs).addDevice({ name: 'theirs' })
  for (const id of [theirs.id, ada.userId, newId(world.clock.now()), 'x', '', `${leaked.id}x`, "'; --"])
    expect(codesOf(await acme.call(CHANGES, { id })), id).toEqual(['NOT_FOUND'])
  expect(codesOf(await bob.call(CHANGES, { id: leaked.id }, acme.slug))).toEqual(['FORBIDDEN'])
  expect(codesOf(await by(theirs).call(CHANGES, { id: leaked.id }))).toEqual(['NOT_FOUND'])
  await globex.call(REVOKE, { id: theirs.id })
  expect(codesOf(await acme.call(CHANGES, { id: theirs.id }))).toEqual(['NOT_FOUND'])
  expect(linesOf(await changesOf(globex, theirs))).toEqual(['theirs: DEVICE_CREATED theirs'])
})

it('a refused call is no change', async ({ world, acme, leaked }) => {
  const refused = { action: 'api_key.refused', actorKind: 'API_KEY', actorId: leaked.id, actorName: 'leaked' } as const
  const at = world.clock.now()
  await world.database.transaction((db) =>
    db
      .insertInto('auditEvent')
      .values({ id: newId(at), organizationId: acme.id, at, ...refused })
      .execute(),
  )
  expect(await changesOf(acme, leaked)).toMatchObject({ data: [], totalCount: 0 })
})

it('lists what was recorded before there were changes', async ({ world, acme, leaked, by }) => {
  const child = await by(leaked).generate('child')
  await by(child).addDevice({ name: 'old' })
  const none = { subjectType: null, subjectId: null, changes: null, ip: null }
  await world.database.transaction((db) => db.updateTable('auditEvent').set(none).execute())
  fieldOf(await acme.call(REVOKE, { id: leaked.id, all: true }))
  await deleteRowsOfDeletedKeys(world.database)
  expect((await changesOf(acme, leaked)).data).toMatchObject([
    { action: 'DEVICE_CREATED', actor: { id: child.id }, ...none },
    { action: 'API_KEY_GENERATED', actor: { id: leaked.id }, ...none },
  ])
})
