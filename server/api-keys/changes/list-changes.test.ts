import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/fixtures.ts'
import type { Answer } from '../../../test/support/http.ts'
import { codesOf, fieldOf } from '../../../test/support/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world.ts'
import { HOUR } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { deleteRowsOfDeletedKeys } from '../deletion.ts'
import { MAX_KEYS } from './made-keys.ts'

const CHANGES = `query ($id: ID!, $since: DateTime, $first: Int, $after: String) {
  apiKeyChanges(id: $id, since: $since, first: $first, after: $after) {
    data { at action subject subjectType subjectId ip actor { kind id name } changes { field before after } }
    pageInfo { hasNextPage endCursor } totalCount keyCount isComplete } }`
const CREATE = 'mutation ($input: CreateDeviceInput!) { createDevice(input: $input) { id } }'
const UPDATE = 'mutation ($id: ID!, $input: UpdateDeviceInput!) { updateDevice(id: $id, input: $input) { id } }'
const GENERATE = 'mutation ($label: String) { generateApiKey(input: { label: $label }) { secret apiKey { id label } } }'
const ROTATE = 'mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 0) { secret apiKey { id label } } }'
const REVOKE = 'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids } }'

interface Changes {
  data: {
    action: string
    subject: string
    subjectId: string
    ip: string
    actor: { id: string; name: string }
    changes: { field: string; before: unknown; after: unknown }[]
  }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
  totalCount: number
  keyCount: number
  isComplete: boolean
}

const it = inOrganization(startWorld)
  .extend('leaked', ({ acme }) => acme.generateKey({ label: 'leaked' }))
  .extend(
    'by',
    ({ world }) =>
      (key: TestKey) =>
        callerOf(world, key),
  )

function callerOf(world: World, { secret }: TestKey) {
  const { call } = world.asKey(secret)
  const made = async (answer: Promise<Answer>): Promise<TestKey> => {
    const { apiKey, secret } = fieldOf<{ secret: string; apiKey: Omit<TestKey, 'secret'> }>(await answer)
    return { ...apiKey, secret }
  }
  return {
    call,
    addDevice: async (input: object) => fieldOf<{ id: string }>(await call(CREATE, { input })).id,
    updateDevice: async (id: string, input: object) => void fieldOf(await call(UPDATE, { id, input })),
    generate: (label: string) => made(call(GENERATE, { label })),
    rotate: ({ id }: TestKey) => made(call(ROTATE, { id })),
  }
}

const changesOf = async ({ call }: Pick<TestOrganization, 'call'>, { id }: { id: string }, args: object = {}) =>
  fieldOf<Changes>(await call(CHANGES, { id, ...args }))

/** `label: ACTION subject`, the newest first. */
const linesOf = ({ data }: Changes) => data.map(({ actor, action, subject }) => `${actor.name}: ${action} ${subject}`)

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

it('lists the writes of every descendant, also after all of them were revoked and their lineage was deleted', async ({
  world,
  acme,
  leaked,
  by,
}) => {
  const child = await by(leaked).generate('child')
  const grandchild = await by(child).generate('grandchild')
  const rotated = await by(grandchild).rotate(grandchild)
  const other = await acme.generateKey({ label: 'other' })
  for (const [key, name] of [
    [child, 'a'],
    [rotated, 'b'],
    [other, 'c'],
  ] as const)
    await by(key).addDevice({ name })
  const expected = [
    'grandchild: DEVICE_CREATED b',
    'child: DEVICE_CREATED a',
    'grandchild: API_KEY_ROTATED grandchild',
    'child: API_KEY_GENERATED grandchild',
    'leaked: API_KEY_GENERATED child',
  ]
  expect(linesOf(await changesOf(acme, leaked))).toEqual(expected)
  fieldOf(await acme.call(REVOKE, { id: leaked.id, all: true }))
  await deleteRowsOfDeletedKeys(world.database)
  const lineage = await world.database.read.selectFrom('apiKeyLineage').selectAll().where('ancestorId', '=', leaked.id)
  expect(await lineage.execute()).toEqual([])
  const after = await changesOf(acme, leaked)
  expect(linesOf(after)).toEqual(expected)
  expect(after).toMatchObject({ keyCount: 4, isComplete: true, totalCount: 5 })
  expect(linesOf(await changesOf(acme, child))).toEqual(expected.slice(0, 4))
  expect(linesOf(await changesOf(acme, other))).toEqual(['other: DEVICE_CREATED c'])
})

it('a key by which a person has replaced a descendant counts, one by which they replaced the key itself does not', async ({
  acme,
  leaked,
  by,
  world,
}) => {
  const child = await by(leaked).generate('child')
  const replaced = async (key: TestKey) => {
    const answer = fieldOf<{ secret: string; apiKey: { id: string; label: string } }>(
      await acme.call(ROTATE, { id: key.id }),
    )
    return { ...answer.apiKey, secret: answer.secret }
  }
  const [newChild, newKey] = [await replaced(child), await replaced(leaked)]
  await by(newChild).addDevice({ name: 'a' })
  await by(newKey).addDevice({ name: 'b' })
  const expected = ['child: DEVICE_CREATED a', 'leaked: API_KEY_GENERATED child']
  expect(linesOf(await changesOf(acme, leaked))).toEqual(expected)
  fieldOf(await acme.call(REVOKE, { id: newChild.id }))
  await deleteRowsOfDeletedKeys(world.database)
  expect(linesOf(await changesOf(acme, leaked))).toEqual(expected)
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

/** As a key does that rotates itself again and again. */
async function insertLongLine({ database, clock }: World, organizationId: string, { id }: TestKey, count: number) {
  const ids = [id, ...Array.from({ length: count }, () => newId(clock.now()))]
  const rows = ids.slice(1).map((keyId, i) => ({
    id: newId(clock.now()),
    organizationId,
    at: clock.now(),
    action: 'api_key.generated',
    actorKind: 'API_KEY' as const,
    actorId: ids[i] ?? null,
    actorName: `key ${i}`,
    subject: `key ${i + 1}`,
    details: `key ${keyId}`,
  }))
  await database.transaction(async (db) => {
    for (let i = 0; i < rows.length; i += 500)
      await db
        .insertInto('auditEvent')
        .values(rows.slice(i, i + 500))
        .execute()
  })
}

it('pages through the writes of many keys without losing or repeating one', async ({ world, acme, leaked }) => {
  await insertLongLine(world, acme.id, leaked, 450)
  const seen: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { data, pageInfo } = await changesOf(acme, leaked, { first: 120, after })
    seen.push(...data.map(({ subject }) => subject))
    after = pageInfo.endCursor
    more = pageInfo.hasNextPage
  }
  expect(seen).toEqual(Array.from({ length: 450 }, (_, i) => `key ${450 - i}`))
})

it('says so when a key has more descendants than are looked at', async ({ world, acme, leaked }) => {
  await insertLongLine(world, acme.id, leaked, MAX_KEYS + 10)
  expect(await changesOf(acme, leaked, { first: 1 })).toMatchObject({
    keyCount: MAX_KEYS,
    isComplete: false,
    totalCount: MAX_KEYS,
  })
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
