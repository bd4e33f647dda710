import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import type { Answer } from '../../test/support/world/http.ts'
import { codesOf, joined } from '../../test/support/world/people.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { DAY } from '../lib/clock.ts'

const it = inOrganization(startWorld)

const GENERATE =
  'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret apiKey { id label prefix expiresAt lastUsedAt createdBy { kind id name } } } }'
const REVOKE =
  'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids revokedAt } }'
const KEYS = '{ apiKeys { data { id label prefix createdBy { kind name } lastUsedAt lastUsedIp } totalCount } }'

interface Generated {
  secret: string
  apiKey: { id: string; label: string; prefix: string; expiresAt: string | null; createdBy: { id: string } }
}
const generated = ({ data }: Answer) => (data as { generateApiKey: Generated }).generateApiKey
const revoked = ({ data }: Answer) => (data as { revokeApiKey: { ids: string[] } }).revokeApiKey.ids
const listed = ({ data }: Answer) => (data as { apiKeys: { data: { id: string; label: string }[] } }).apiKeys.data

it('K1, K4: an Admin generates a key, gets its secret once, and it is active at once', async ({ world, ada, acme }) => {
  const { secret, apiKey } = generated(await acme.call(GENERATE, { input: { label: 'ci' } }))

  expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
  expect(apiKey).toMatchObject({
    label: 'ci',
    prefix: secret.slice(0, 10),
    createdBy: { kind: 'USER', id: ada.userId },
  })
  expect(await world.accepts(secret)).toBe(true)
})

it('K7, C7: without input a key has a generated label and no expiration', async ({ world, acme }) => {
  const { apiKey, secret } = generated(
    await acme.call('mutation { generateApiKey { secret apiKey { label expiresAt } } }'),
  )

  expect(apiKey.label).toBe(`key-${secret.slice('emp_'.length, 'emp_'.length + 6)}`)
  expect(apiKey.expiresAt).toBeNull()
  world.clock.advance(1000 * DAY)
  expect(await world.accepts(secret)).toBe(true)
  world.clock.advance(-1000 * DAY)
})

it('C7: an expired key is refused as expired from that millisecond on', async ({ world, acme }) => {
  const end = new Date(world.clock.now() + DAY).toISOString()
  const { secret, apiKey } = generated(await acme.call(GENERATE, { input: { expiresAt: end } }))
  expect(apiKey.expiresAt).toBe(end)

  world.clock.advance(DAY - 1)
  expect(await world.accepts(secret)).toBe(true)
  world.clock.advance(1)
  const refused = await world.asKey(secret).call('{ viewer { role } }')
  expect([refused.status, ...codesOf(refused)]).toEqual([401, 'API_KEY_EXPIRED'])
  world.clock.advance(-DAY)
})

it('refuses an expiration in the past, and a label that is empty, too long or has control characters, and names the field', async ({
  world,
  acme,
}) => {
  const past = { expiresAt: new Date(world.clock.now()).toISOString() }
  for (const [input, field] of [
    [past, 'expiresAt'],
    [{ label: '' }, 'label'],
    [{ label: '   ' }, 'label'],
    [{ label: 'x'.repeat(81) }, 'label'],
    [{ label: 'a\u0000b' }, 'label'],
    [{ label: 'a\nb' }, 'label'],
  ] as const) {
    const answer = await acme.call(GENERATE, { input })
    expect(answer.errors, JSON.stringify(input)).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  }
  expect((await acme.call(GENERATE, { input: { label: '\u{1f600}'.repeat(80) } })).errors).toEqual([])
})

it('K9, K10, A5: a revoked key is refused at once, is not listed, and cannot be revoked or renamed again', async ({
  world,
  acme,
}) => {
  const key = await acme.generateKey()
  expect(await world.accepts(key.secret)).toBe(true)

  expect(revoked(await acme.call(REVOKE, { id: key.id }))).toEqual([key.id])

  const refused = await world.asKey(key.secret).call('{ viewer { role } }')
  expect([refused.status, ...codesOf(refused)]).toEqual([401, 'API_KEY_INVALID'])
  expect(listed(await acme.call(KEYS)).map(({ id }) => id)).not.toContain(key.id)
  expect(codesOf(await acme.call(REVOKE, { id: key.id }))).toEqual(['NOT_FOUND'])
  const rename = 'mutation ($id: ID!) { renameApiKey(id: $id, label: "back") { id } }'
  expect(codesOf(await acme.call(rename, { id: key.id }))).toEqual(['NOT_FOUND'])
})

it('K10: a key is refused by the next call after its revoke returned, twenty times in a row under load', async ({
  world,
  acme,
}) => {
  const steady = await acme.generateKey({ label: 'steady' })
  let running = true
  const load = Array.from({ length: 8 }, async () => {
    while (running) await world.asKey(steady.secret).call('{ devices { data { id } } }')
  })
  for (let i = 0; i < 20; i++) {
    const { id, secret } = await acme.generateKey({ label: 'short-lived' })
    const calls = Array.from({ length: 4 }, () => world.accepts(secret))
    await acme.call(REVOKE, { id })
    expect(await Promise.all([world.accepts(secret), world.accepts(secret)])).toEqual([false, false])
    await Promise.all(calls)
  }
  running = false
  await Promise.all(load)
})

it('K12: a replacement has a new secret and a new id', async ({ world, acme }) => {
  const before = await acme.generateKey({ label: 'same' })
  await acme.call(REVOKE, { id: before.id })
  const after = await acme.generateKey({ label: 'same' })

  expect(after.secret).not.toBe(before.secret)
  expect(after.id).not.toBe(before.id)
  expect(await world.accepts(before.secret)).toBe(false)
})

it('K13: an Admin lists the keys, the newest first, in pages', async ({ world, acme }) => {
  for (const label of ['a', 'b', 'c', 'd', 'e']) {
    world.clock.advance(1)
    await acme.generateKey({ label })
  }
  const page =
    'query ($after: String) { apiKeys(first: 2, after: $after) { data { label } pageInfo { hasNextPage endCursor } totalCount } }'
  const labels: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { apiKeys } = (await acme.call(page, { after })).data as {
      apiKeys: { data: { label: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string }; totalCount: number }
    }
    expect(apiKeys.totalCount).toBe(5)
    labels.push(...apiKeys.data.map(({ label }) => label))
    after = apiKeys.pageInfo.endCursor
    more = apiKeys.pageInfo.hasNextPage
  }
  expect(labels).toEqual(['e', 'd', 'c', 'b', 'a'])
})

it('C8: the secret cannot be recovered from anything that is stored or logged', async ({ world, acme }) => {
  const { secret } = await acme.generateKey({ label: 'hidden' })
  await world.asKey(secret).call('{ viewer { role } }')

  const stored = await world.storage.dump()
  expect(stored).toContain(secret.slice(0, 10)) // the start, as shown in lists
  expect(stored).not.toContain(secret.slice(0, 14))
  expect(world.logged().join('')).not.toContain(secret.slice(4, 20))
  const everything = await acme.call(
    '{ apiKeys { data { id label prefix } } auditEvents(first: 500) { data { subject details } } }',
  )
  expect(JSON.stringify(everything.data)).not.toContain(secret.slice(0, 14))
})

it('an organization has at most 100 active keys', async ({ acme }) => {
  for (let i = 0; i < 100; i++) await acme.generateKey({ label: `key ${i}` })

  expect(codesOf(await acme.call(GENERATE))).toEqual(['LIMIT_EXCEEDED'])
  const [last] = listed(await acme.call(KEYS))
  await acme.call(REVOKE, { id: last?.id })
  expect(codesOf(await acme.call(GENERATE))).toEqual([])
})

it('K6, C2: a key can do what an Admin can, including key management, and each key records its creator', async ({
  world,
  acme,
}) => {
  const parent = await acme.generateKey({ label: 'parent' })
  const child = generated(await world.asKey(parent.secret).call(GENERATE, { input: { label: 'child' } }))

  expect(child.apiKey.createdBy).toEqual({ kind: 'API_KEY', id: parent.id, name: 'parent' })
  expect(listed(await world.asKey(child.secret).call(KEYS)).map(({ label }) => label)).toEqual(['child', 'parent'])
  const renamed = await world
    .asKey(child.secret)
    .call('mutation ($id: ID!) { renameApiKey(id: $id, label: "elder") { label } }', { id: parent.id })
  expect(renamed.data).toEqual({ renameApiKey: { label: 'elder' } })
  expect(revoked(await world.asKey(child.secret).call(REVOKE, { id: child.apiKey.id }))).toEqual([child.apiKey.id])
  expect(await world.accepts(child.secret)).toBe(false)
})

it('C2: a revoke includes the keys that the key generated, also through a deleted key, and no others', async ({
  world,
  acme,
}) => {
  const make = async (by: string, label: string) =>
    generated(await world.asKey(by).call(GENERATE, { input: { label } }))
  const other = await acme.generateKey({ label: 'other' })
  const a = await acme.generateKey({ label: 'a' })
  const b = await make(a.secret, 'b')
  const c = await make(b.secret, 'c')
  const d = await make(c.secret, 'd')
  expect(revoked(await acme.call(REVOKE, { id: b.apiKey.id }))).toEqual([b.apiKey.id])
  expect(await world.accepts(c.secret)).toBe(true)

  const gone = revoked(await acme.call(REVOKE, { id: a.id, all: true }))

  expect(new Set(gone)).toEqual(new Set([a.id, c.apiKey.id, d.apiKey.id]))
  expect(await Promise.all([a.secret, c.secret, d.secret, other.secret].map(world.accepts))).toEqual([
    false,
    false,
    false,
    true,
  ])
})

it('C6: keys stay when the member who created them is removed', async ({ world, acme }) => {
  const bob = await joined(world, acme, 'Bob', 'ADMIN')
  const key = await world.generateKey(bob, acme)
  await acme.call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: bob.userId })

  expect(await world.accepts(key.secret)).toBe(true)
  expect(await acme.call('query ($id: ID!) { apiKey(id: $id) { createdBy { name } } }', { id: key.id })).toMatchObject({
    data: { apiKey: { createdBy: { name: 'Bob' } } },
  })
})

it('K5: a key belongs to the organization in which it was generated, or to the personal account', async ({
  world,
  acme,
}) => {
  const eve = await world.signUp('Eve')
  await eve.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
  const personal = await world.generateKey(eve, { slug: eve.personalSlug })
  const shared = await acme.generateKey()
  const where = '{ viewer { organization { slug kind } } }'

  expect((await world.asKey(personal.secret).call(where)).data).toEqual({
    viewer: { organization: { slug: eve.personalSlug, kind: 'PERSONAL' } },
  })
  expect((await world.asKey(shared.secret).call(where)).data).toEqual({
    viewer: { organization: { slug: acme.slug, kind: 'ORGANIZATION' } },
  })
})

it('A3: a key of another organization gives the same answer as a key that does not exist', async ({
  world,
  ada,
  acme,
}) => {
  const other = await world.organization('Elsewhere', { admin: ada })
  const theirs = await other.generateKey()
  const mine = world.asKey((await acme.generateKey()).secret)
  for (const operation of [
    'query ($id: ID!) { apiKey(id: $id) { label } }',
    'mutation ($id: ID!) { renameApiKey(id: $id, label: "x") { label } }',
    'mutation ($id: ID!) { revokeApiKey(id: $id, includeDescendants: true) { ids } }',
  ]) {
    const [foreign, never, garbage] = await Promise.all(
      [theirs.id, '0'.repeat(26), '\u{1f600}; drop table'].map(async (id) => {
        const { status, data, errors } = await mine.call(operation, { id })
        return { status, data, errors: errors.map(({ message, code }) => ({ message, code })) }
      }),
    )
    expect(foreign).toEqual(never)
    expect(foreign).toEqual(garbage)
    expect(foreign?.errors).toMatchObject([{ code: 'NOT_FOUND' }])
  }
  expect(await world.accepts(theirs.secret)).toBe(true)
})

it('records the first use at once, later ones within seconds, with the address', async ({ world, acme }) => {
  const { id, secret } = await acme.generateKey({ label: 'seen' })
  const seen = async () =>
    (await acme.call('query ($id: ID!) { apiKey(id: $id) { lastUsedAt lastUsedIp } }', { id })).data
  expect(await seen()).toEqual({ apiKey: { lastUsedAt: null, lastUsedIp: null } })

  await world.accepts(secret)

  await expect.poll(seen).toEqual({
    apiKey: { lastUsedAt: new Date(world.clock.now()).toISOString(), lastUsedIp: '127.0.0.1' },
  })
})

it('records generate, rename and revoke in the audit log', async ({ acme }) => {
  const { id } = await acme.generateKey({ label: 'old name' })
  await acme.call('mutation ($id: ID!) { renameApiKey(id: $id, label: "new name") { id } }', { id })
  await acme.call(REVOKE, { id })
  const { auditEvents } = (await acme.call('{ auditEvents { data { action subject details actor { kind name } } } }'))
    .data as {
    auditEvents: { data: unknown[] }
  }
  const actor = { kind: 'USER', name: 'Ada' }
  expect(auditEvents.data.slice(0, 3)).toEqual([
    { action: 'API_KEY_REVOKED', subject: 'new name', details: `key ${id}`, actor },
    { action: 'API_KEY_RENAMED', subject: 'new name', details: `was old name; key ${id}`, actor },
    { action: 'API_KEY_GENERATED', subject: 'old name', details: `key ${id}`, actor },
  ])
})
