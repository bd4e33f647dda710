import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Answer } from '../../test/support/http.ts'
import { type Person, startWorld, type TestOrganization, type World } from '../../test/support/world.ts'
import { DAY } from '../lib/clock.ts'

let world: World
let ada: Person
let acme: TestOrganization

beforeAll(async () => {
  world = await startWorld()
  ada = await world.signUp('Ada')
  acme = await world.organization('Acme', { admin: ada })
})
afterAll(() => world.close())

const GENERATE =
  'mutation ($input: GenerateApiKeyInput) { generateApiKey(input: $input) { secret apiKey { id label prefix expiresAt lastUsedAt createdBy { kind id name } } } }'
const REVOKE =
  'mutation ($id: ID!, $all: Boolean) { revokeApiKey(id: $id, includeDescendants: $all) { ids revokedAt } }'
const KEYS = '{ apiKeys { data { id label prefix createdBy { kind name } lastUsedAt lastUsedIp } totalCount } }'

interface Generated {
  secret: string
  apiKey: {
    id: string
    label: string
    prefix: string
    expiresAt: string | null
    createdBy: { kind: string; id: string; name: string }
  }
}
const generated = ({ data }: Answer) => (data as { generateApiKey: Generated }).generateApiKey
const revoked = ({ data }: Answer) => (data as { revokeApiKey: { ids: string[] } }).revokeApiKey.ids
const listed = ({ data }: Answer) => (data as { apiKeys: { data: { id: string; label: string }[] } }).apiKeys.data
const codes = ({ errors }: Answer) => errors.map((error) => error.code)
const accepts = async (secret: string) => (await world.asKey(secret).call('{ viewer { role } }')).status === 200

it('K1, K4: an Admin generates a key, its secret is in the answer, and it is active at once', async () => {
  const { secret, apiKey } = generated(await ada.call(GENERATE, { input: { label: 'ci' } }, acme.slug))

  expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
  expect(apiKey).toMatchObject({
    label: 'ci',
    prefix: secret.slice(0, 10),
    createdBy: { kind: 'USER', id: ada.userId },
  })
  expect(await accepts(secret)).toBe(true)
})

it('K7, C7: without input a key has a label of its own making and no end', async () => {
  const { apiKey, secret } = generated(
    await ada.call('mutation { generateApiKey { secret apiKey { label expiresAt } } }', {}, acme.slug),
  )

  expect(apiKey.label).toMatch(/^Key of \d{4}-/)
  expect(apiKey.expiresAt).toBeNull()
  world.clock.advance(1000 * DAY)
  expect(await accepts(secret)).toBe(true)
  world.clock.advance(-1000 * DAY)
})

it('C7: a key with an end is refused from that moment on, as expired', async () => {
  const end = new Date(world.clock.now() + DAY).toISOString()
  const { secret, apiKey } = generated(await ada.call(GENERATE, { input: { expiresAt: end } }, acme.slug))
  expect(apiKey.expiresAt).toBe(end)

  world.clock.advance(DAY - 1)
  expect(await accepts(secret)).toBe(true)
  world.clock.advance(1)
  const refused = await world.asKey(secret).call('{ viewer { role } }')
  expect([refused.status, ...codes(refused)]).toEqual([401, 'API_KEY_EXPIRED'])
  world.clock.advance(-DAY)
})

it('refuses an end in the past, an empty, overlong or control-character label, and names the field', async () => {
  const past = { expiresAt: new Date(world.clock.now()).toISOString() }
  for (const [input, field] of [
    [past, 'expiresAt'],
    [{ label: '' }, 'label'],
    [{ label: '   ' }, 'label'],
    [{ label: 'x'.repeat(81) }, 'label'],
    [{ label: 'a\u0000b' }, 'label'],
    [{ label: 'a\nb' }, 'label'],
  ] as const) {
    const answer = await ada.call(GENERATE, { input }, acme.slug)
    expect(answer.errors, JSON.stringify(input)).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  }
  expect((await ada.call(GENERATE, { input: { label: '\u{1f600}'.repeat(80) } }, acme.slug)).errors).toEqual([])
})

it('K9, K10, A5: a revoked key is refused at once, is in no list, and cannot be revoked or renamed again', async () => {
  const key = await world.generateKey(ada, acme)
  expect(await accepts(key.secret)).toBe(true)

  expect(revoked(await ada.call(REVOKE, { id: key.id }, acme.slug))).toEqual([key.id])

  const refused = await world.asKey(key.secret).call('{ viewer { role } }')
  expect([refused.status, ...codes(refused)]).toEqual([401, 'API_KEY_INVALID'])
  expect(listed(await ada.call(KEYS, {}, acme.slug)).map(({ id }) => id)).not.toContain(key.id)
  expect(codes(await ada.call(REVOKE, { id: key.id }, acme.slug))).toEqual(['NOT_FOUND'])
  const rename = 'mutation ($id: ID!) { renameApiKey(id: $id, label: "back") { id } }'
  expect(codes(await ada.call(rename, { id: key.id }, acme.slug))).toEqual(['NOT_FOUND'])
})

it('K10: a key is refused by the next call after its revoke has answered, twenty times in a row under load', async () => {
  const steady = await world.generateKey(ada, acme, { label: 'steady' })
  let running = true
  const load = Array.from({ length: 8 }, async () => {
    while (running) await world.asKey(steady.secret).call('{ devices { data { id } } }')
  })
  for (let i = 0; i < 20; i++) {
    const { id, secret } = await world.generateKey(ada, acme, { label: 'short-lived' })
    const calls = Array.from({ length: 4 }, () => accepts(secret))
    await ada.call(REVOKE, { id }, acme.slug)
    expect(await Promise.all([accepts(secret), accepts(secret)])).toEqual([false, false])
    await Promise.all(calls)
  }
  running = false
  await Promise.all(load)
})

it('K12: a replacement has a new secret and a new id', async () => {
  const before = await world.generateKey(ada, acme, { label: 'same' })
  await ada.call(REVOKE, { id: before.id }, acme.slug)
  const after = await world.generateKey(ada, acme, { label: 'same' })

  expect(after.secret).not.toBe(before.secret)
  expect(after.id).not.toBe(before.id)
  expect(await accepts(before.secret)).toBe(false)
})

it('K13: an Admin views the keys, the newest first, page by page', async () => {
  const org = await world.organization('Pages', { admin: ada })
  for (const label of ['a', 'b', 'c', 'd', 'e']) {
    world.clock.advance(1)
    await world.generateKey(ada, org, { label })
  }
  const page =
    'query ($after: String) { apiKeys(first: 2, after: $after) { data { label } pageInfo { hasNextPage endCursor } totalCount } }'
  const labels: string[] = []
  for (let after: string | null = null, more = true; more; ) {
    const { apiKeys } = (await ada.call(page, { after }, org.slug)).data as {
      apiKeys: { data: { label: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string }; totalCount: number }
    }
    expect(apiKeys.totalCount).toBe(5)
    labels.push(...apiKeys.data.map(({ label }) => label))
    after = apiKeys.pageInfo.endCursor
    more = apiKeys.pageInfo.hasNextPage
  }
  expect(labels).toEqual(['e', 'd', 'c', 'b', 'a'])
})

it('C8: nothing that is stored or logged can give the secret back', async () => {
  const { secret } = await world.generateKey(ada, acme, { label: 'hidden' })
  await world.asKey(secret).call('{ viewer { role } }')

  const stored = await world.storage.dump()
  expect(stored).toContain(secret.slice(0, 10)) // the start, as shown in lists
  expect(stored).not.toContain(secret.slice(0, 14))
  expect(world.logged().join('')).not.toContain(secret.slice(4, 20))
  const everything = await ada.call(
    '{ apiKeys { data { id label prefix } } auditEvents(first: 500) { data { subject details } } }',
    {},
    acme.slug,
  )
  expect(JSON.stringify(everything.data)).not.toContain(secret.slice(0, 14))
})

it('an organization has at most 100 active keys', async () => {
  const org = await world.organization('Many', { admin: ada })
  for (let i = 0; i < 100; i++) await world.generateKey(ada, org, { label: `key ${i}` })

  expect(codes(await ada.call(GENERATE, {}, org.slug))).toEqual(['LIMIT_EXCEEDED'])
  const [last] = listed(await ada.call(KEYS, {}, org.slug))
  await ada.call(REVOKE, { id: last?.id }, org.slug)
  expect(codes(await ada.call(GENERATE, {}, org.slug))).toEqual([])
})

it('K6, C2: a key does what an Admin does, keys included, and each key remembers who made it', async () => {
  const org = await world.organization('Lineage', { admin: ada })
  const parent = await world.generateKey(ada, org, { label: 'parent' })
  const child = generated(await world.asKey(parent.secret).call(GENERATE, { input: { label: 'child' } }))

  expect(child.apiKey.createdBy).toEqual({ kind: 'API_KEY', id: parent.id, name: 'parent' })
  expect(listed(await world.asKey(child.secret).call(KEYS)).map(({ label }) => label)).toEqual(['child', 'parent'])
  const renamed = await world
    .asKey(child.secret)
    .call('mutation ($id: ID!) { renameApiKey(id: $id, label: "elder") { label } }', { id: parent.id })
  expect(renamed.data).toEqual({ renameApiKey: { label: 'elder' } })
  expect(revoked(await world.asKey(child.secret).call(REVOKE, { id: child.apiKey.id }))).toEqual([child.apiKey.id])
  expect(await accepts(child.secret)).toBe(false)
})

it('C2: a revoke takes along what the key made, also through a key that is gone, and nothing else', async () => {
  const org = await world.organization('Family', { admin: ada })
  const make = async (by: string, label: string) =>
    generated(await world.asKey(by).call(GENERATE, { input: { label } }))
  const other = await world.generateKey(ada, org, { label: 'other' })
  const a = await world.generateKey(ada, org, { label: 'a' })
  const b = await make(a.secret, 'b')
  const c = await make(b.secret, 'c')
  const d = await make(c.secret, 'd')
  expect(revoked(await ada.call(REVOKE, { id: b.apiKey.id }, org.slug))).toEqual([b.apiKey.id])
  expect(await accepts(c.secret)).toBe(true)

  const gone = revoked(await ada.call(REVOKE, { id: a.id, all: true }, org.slug))

  expect(new Set(gone)).toEqual(new Set([a.id, c.apiKey.id, d.apiKey.id]))
  expect(await Promise.all([a.secret, c.secret, d.secret, other.secret].map(accepts))).toEqual([
    false,
    false,
    false,
    true,
  ])
})

it('C6: keys outlive the member who made them', async () => {
  const org = await world.organization('Leaving', { admin: ada })
  const bob = await world.signUp('Bob')
  await world.join(org, bob, 'ADMIN')
  const key = await world.generateKey(bob, org)
  await ada.call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: bob.userId }, org.slug)

  expect(await accepts(key.secret)).toBe(true)
  expect(
    await ada.call('query ($id: ID!) { apiKey(id: $id) { createdBy { name } } }', { id: key.id }, org.slug),
  ).toMatchObject({
    data: { apiKey: { createdBy: { name: 'Bob' } } },
  })
})

it('K5: a key belongs to the organization it was made in, and a personal one to the personal account', async () => {
  const eve = await world.signUp('Eve')
  await eve.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
  const personal = await world.generateKey(eve, { slug: eve.personalSlug })
  const shared = await world.generateKey(ada, acme)
  const where = '{ viewer { organization { slug kind } } }'

  expect((await world.asKey(personal.secret).call(where)).data).toEqual({
    viewer: { organization: { slug: eve.personalSlug, kind: 'PERSONAL' } },
  })
  expect((await world.asKey(shared.secret).call(where)).data).toEqual({
    viewer: { organization: { slug: acme.slug, kind: 'ORGANIZATION' } },
  })
})

it('A3: a key of another organization is exactly as absent as a key that never was', async () => {
  const other = await world.organization('Elsewhere', { admin: ada })
  const theirs = await world.generateKey(ada, other)
  const mine = world.asKey((await world.generateKey(ada, acme)).secret)
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
  expect(await accepts(theirs.secret)).toBe(true)
})

it('records the first use at once, later ones within seconds, and where it came from', async () => {
  const { id, secret } = await world.generateKey(ada, acme, { label: 'seen' })
  const seen = async () =>
    (await ada.call('query ($id: ID!) { apiKey(id: $id) { lastUsedAt lastUsedIp } }', { id }, acme.slug)).data
  expect(await seen()).toEqual({ apiKey: { lastUsedAt: null, lastUsedIp: null } })

  await accepts(secret)

  await expect.poll(seen).toEqual({
    apiKey: { lastUsedAt: new Date(world.clock.now()).toISOString(), lastUsedIp: '127.0.0.1' },
  })
})

it('leaves a trace of generate, rename and revoke in the audit log', async () => {
  const org = await world.organization('Traces', { admin: ada })
  const { id } = await world.generateKey(ada, org, { label: 'old name' })
  await ada.call('mutation ($id: ID!) { renameApiKey(id: $id, label: "new name") { id } }', { id }, org.slug)
  await ada.call(REVOKE, { id }, org.slug)
  const { auditEvents } = (
    await ada.call('{ auditEvents { data { action subject details actor { kind name } } } }', {}, org.slug)
  ).data as {
    auditEvents: { data: unknown[] }
  }
  const actor = { kind: 'USER', name: 'Ada' }
  expect(auditEvents.data.slice(0, 3)).toEqual([
    { action: 'api_key.revoked', subject: 'new name', details: `key ${id}`, actor },
    { action: 'api_key.renamed', subject: 'new name', details: `was old name; key ${id}`, actor },
    { action: 'api_key.generated', subject: 'old name', details: `key ${id}`, actor },
  ])
})
