import { afterAll, beforeAll, expect, it } from 'vitest'
import { codesOf, fieldOf } from '../../../test/support/people.ts'
import type { Person, TestKey, TestOrganization, World } from '../../../test/support/world.ts'
import { startWorld } from '../../../test/support/world.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/clock.ts'

const KEY = 'id label expiresAt createdBy { kind id } replaces { id } replacedBy { id }'
const ROTATE = `mutation ($id: ID!, $overlap: Int, $expiresAt: DateTime) {
  rotateApiKey(id: $id, overlapSeconds: $overlap, expiresAt: $expiresAt) { secret apiKey { ${KEY} } } }`
const SHOW = `query ($id: ID!) { apiKey(id: $id) { ${KEY} } }`
const GENERATE = 'mutation { generateApiKey { secret apiKey { id } } }'
const AUDIT = '{ auditEvents(first: 1) { data { action subject details actor { kind } } } }'

interface Shown {
  id: string
  label: string
  expiresAt: string | null
  createdBy: { kind: string; id: string }
  replaces: { id: string } | null
  replacedBy: { id: string } | null
}

let world: World
let ada: Person
let acme: TestOrganization

beforeAll(async () => {
  world = await startWorld()
  ada = await world.signUp('Ada')
  acme = await world.organization('Acme', { admin: ada })
})
afterAll(() => world.close())

/** Time passes, and Ada signs in again: no session lasts for days. */
async function later(ms: number): Promise<void> {
  world.clock.advance(ms)
  const { name, email, password } = ada
  ada = await world.personOf(name, email, await world.post('/auth/sign-in', { email, password }))
}

const iso = (at: number) => new Date(at).toISOString()
const inFuture = (ms: number) => iso(world.clock.now() + ms)
const rotate = (id: string, how: object = {}, org = acme) => ada.call(ROTATE, { id, ...how }, org.slug)
const show = async (id: string, org = acme) => fieldOf<Shown>(await ada.call(SHOW, { id }, org.slug))
const ask = (secret: string) => world.asKey(secret).call('{ viewer { role } }')

async function rotated(id: string, how: object = {}, org = acme): Promise<TestKey & Shown> {
  const { apiKey, secret } = fieldOf<{ secret: string; apiKey: Shown }>(await rotate(id, how, org))
  return { ...apiKey, secret }
}

/** `ok`, or the code of the refusal. */
async function verdict(secret: string): Promise<string> {
  const { status, errors } = await ask(secret)
  return status === 200 ? 'ok' : (errors[0]?.code ?? String(status))
}

it('both keys are accepted during the overlap, a day unless said otherwise, then the new one alone', async () => {
  const old = await world.generateKey(ada, acme, { label: 'export' })
  const fresh = await rotated(old.id)

  expect(fresh).toMatchObject({ label: 'export', expiresAt: null, replaces: { id: old.id }, replacedBy: null })
  expect(fresh.createdBy).toEqual({ kind: 'USER', id: ada.userId })
  expect(await show(old.id)).toMatchObject({ expiresAt: inFuture(DAY), replaces: null, replacedBy: { id: fresh.id } })
  await later(DAY - 1)
  expect([await verdict(old.secret), await verdict(fresh.secret)]).toEqual(['ok', 'ok'])
  await later(1)
  expect([await verdict(old.secret), await verdict(fresh.secret)]).toEqual(['API_KEY_EXPIRED', 'ok'])
})

it('the audit log has both keys and the overlap, and no secret', async () => {
  const old = await world.generateKey(ada, acme, { label: 'told' })
  const fresh = await rotated(old.id, { overlap: 90 })
  expect(fieldOf<{ data: unknown[] }>(await ada.call(AUDIT, {}, acme.slug)).data).toEqual([
    {
      action: 'api_key.rotated',
      subject: 'told',
      details: `key ${fresh.id} replaces key ${old.id}; overlap 90 s`,
      actor: { kind: 'USER' },
    },
  ])
})

it('K10: without an overlap the old key is revoked: refused as unknown, and gone from the list', async () => {
  const old = await world.generateKey(ada, acme)
  const fresh = await rotated(old.id, { overlap: 0 })

  expect([await verdict(old.secret), await verdict(fresh.secret)]).toEqual(['API_KEY_INVALID', 'ok'])
  expect(codesOf(await ada.call(SHOW, { id: old.id }, acme.slug))).toEqual(['NOT_FOUND'])
  expect(await show(fresh.id)).toMatchObject({ replaces: null })
})

it('K10: a key that replaces itself at once gets its answer and is dead', async () => {
  const old = await world.generateKey(ada, acme, { label: 'own' })
  const answer = await world.asKey(old.secret).call(ROTATE, { id: old.id, overlap: 0 })
  const { secret, apiKey } = fieldOf<{ secret: string; apiKey: Shown }>(answer)

  expect(apiKey).toMatchObject({ label: 'own', createdBy: { kind: 'API_KEY', id: old.id } })
  expect([await verdict(old.secret), await verdict(secret)]).toEqual(['API_KEY_INVALID', 'ok'])
})

it('C2: a key that replaces itself again and again remembers only the keys before it that are still there', async () => {
  const org = await world.organization('Daily', { admin: ada })
  let { id, secret } = await world.generateKey(ada, org)
  for (let day = 0; day < 5; day++) {
    const answer = await world.asKey(secret).call(ROTATE, { id, overlap: 0 })
    ;({
      secret,
      apiKey: { id },
    } = fieldOf<{ secret: string; apiKey: Shown }>(answer))
  }
  const rows = await world.database.read.selectFrom('apiKeyLineage').selectAll().where('keyId', '=', id).execute()
  expect(rows.length).toBe(1) // the one that made it, which was still there at that moment
})

it.each([
  ['no end', null, {}, null],
  ['the same length of life', 10 * DAY, {}, 10 * DAY],
  ['an end that is given', 10 * DAY, { expiresIn: 3 * DAY }, 3 * DAY],
  ['an end that is given, where there was none', null, { expiresIn: 3 * DAY }, 3 * DAY],
])('the new key has %s', async (_words, life, { expiresIn }: { expiresIn?: number }, expected) => {
  const org = await world.organization('Lives', { admin: ada })
  const old = await world.generateKey(ada, org, life === null ? {} : { expiresAt: inFuture(life) })
  await later(2 * DAY)
  const how = expiresIn === undefined ? {} : { expiresAt: inFuture(expiresIn) }
  expect((await rotated(old.id, how, org)).expiresAt).toBe(expected === null ? null : inFuture(expected))
})

it('an old key that ends before the overlap does, ends when it would have', async () => {
  const old = await world.generateKey(ada, acme, { expiresAt: inFuture(HOUR) })
  await rotated(old.id, { overlap: DAY / SECOND })
  expect((await show(old.id)).expiresAt).toBe(inFuture(HOUR))
})

it.each([
  [{ overlap: -1 }, 'overlapSeconds'],
  [{ overlap: 604_801 }, 'overlapSeconds'],
  [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
])('refuses %o and names the field', async (how, field) => {
  const old = await world.generateKey(ada, acme)
  expect((await rotate(old.id, how)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  expect(await show(old.id)).toMatchObject({ expiresAt: null, replacedBy: null })
  expect(codesOf(await rotate(old.id, { overlap: 604_800 }))).toEqual([])
})

it('an overlap of half a second is no number of seconds', async () => {
  const { id } = await world.generateKey(ada, acme)
  expect(codesOf(await rotate(id, { overlap: 1.5 }))).toEqual(['BAD_USER_INPUT'])
  expect(await show(id)).toMatchObject({ expiresAt: null, replacedBy: null })
})

it('a key is replaced once: after that its replacement is, and an expired key is not', async () => {
  const old = await world.generateKey(ada, acme, { expiresAt: inFuture(HOUR) })
  const second = await rotated(old.id, { expiresAt: inFuture(2 * HOUR) })
  expect(codesOf(await rotate(old.id))).toEqual(['CONFLICT'])
  await later(HOUR)
  const third = await rotated(second.id, { expiresAt: inFuture(HOUR) })
  expect((await show(second.id)).replacedBy).toEqual({ id: third.id })
  await later(HOUR)
  expect((await rotate(third.id)).errors).toMatchObject([{ code: 'CONFLICT', message: expect.stringMatching(/expir/) }])
})

it('a key whose secret was lost on the way is replaced at once, and the one before it waits for the new one', async () => {
  const old = await world.generateKey(ada, acme)
  const lost = await rotated(old.id)
  const again = fieldOf<{ secret: string; apiKey: Shown }>(
    await world.asKey(old.secret).call(ROTATE, { id: lost.id, overlap: 0 }),
  )
  expect(again.apiKey.replaces).toEqual({ id: old.id })
  expect((await show(old.id)).replacedBy).toEqual({ id: again.apiKey.id })
  expect(await Promise.all([old, lost, again].map(({ secret }) => verdict(secret)))).toEqual([
    'ok',
    'API_KEY_INVALID',
    'ok',
  ])
})

it('K3: with the feature off nobody rotates', async () => {
  const org = await world.organization('Off', { admin: ada })
  const { id, secret } = await world.generateKey(ada, org)
  await ada.call('mutation { setApiKeysEnabled(enabled: false) { id } }', {}, org.slug)
  expect(codesOf(await rotate(id, {}, org))).toEqual(['FEATURE_DISABLED'])
  expect(codesOf(await world.asKey(secret).call(ROTATE, { id }))).toEqual(['FEATURE_DISABLED'])
})

it('A3: a key of another organization is exactly as absent as a key that never was', async () => {
  const other = await world.organization('Elsewhere', { admin: ada })
  const theirs = await world.generateKey(ada, other)
  const answers = await Promise.all([theirs.id, '0'.repeat(26), ''].map((id) => rotate(id)))
  const refusals = answers.map(({ status, data, errors }) => ({ status, data, message: errors.map((e) => e.message) }))
  expect(codesOf(answers[0] ?? (await rotate('')))).toEqual(['NOT_FOUND'])
  expect(refusals[1]).toEqual(refusals[0])
  expect(refusals[2]).toEqual(refusals[0])
  expect(await verdict(theirs.secret)).toBe('ok')
})

it('a key is not rotated while the one before it is accepted: revoke that one, wait, or do without an overlap', async () => {
  const old = await world.generateKey(ada, acme)
  const second = await rotated(old.id, { overlap: 3600 })
  const { errors } = await rotate(second.id)
  expect(errors).toMatchObject([{ code: 'CONFLICT' }])
  expect(errors[0]?.message).toContain(`${old.id}, is still accepted until ${inFuture(HOUR)}`)
  expect(errors[0]?.message).toMatch(/revoke that one, or wait, or rotate with an overlap of 0/)

  const third = await rotated(second.id, { overlap: 0 })
  expect(await Promise.all([old, second, third].map(({ secret }) => verdict(secret)))).toEqual([
    'ok',
    'API_KEY_INVALID',
    'ok',
  ])
  expect(codesOf(await rotate(third.id))).toEqual(['CONFLICT'])
  await ada.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: old.id }, acme.slug)
  const fourth = await rotated(third.id, { overlap: 3600 })
  await later(HOUR)
  expect(codesOf(await rotate(fourth.id))).toEqual([])
})

it('a replaced key counts until it ends: an organization with all the keys it may have rotates each, and generates none', async () => {
  const org = await world.organization('Full', { admin: ada })
  const keys: TestKey[] = []
  for (let i = 0; i < 100; i++) keys.push(await world.generateKey(ada, org))
  expect(codesOf(await ada.call(GENERATE, {}, org.slug))).toEqual(['LIMIT_EXCEEDED'])
  for (const { id } of keys) expect(codesOf(await rotate(id, { overlap: 3600 }, org))).toEqual([])
  const { data } = fieldOf<{ data: { id: string }[] }>(await ada.call('{ apiKeys { data { id } } }', {}, org.slug))
  const newest = data[0]?.id
  await ada.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: newest }, org.slug)
  expect(codesOf(await ada.call(GENERATE, {}, org.slug))).toEqual(['LIMIT_EXCEEDED'])
  await later(HOUR)
  expect(codesOf(await ada.call(GENERATE, {}, org.slug))).toEqual([])
})

it('with more keys than the policy now allows, none is rotated with an overlap, each without one', async () => {
  const org = await world.organization('Fewer', { admin: ada })
  const keys = [await world.generateKey(ada, org), await world.generateKey(ada, org)]
  await ada.call('mutation { setApiKeyPolicy(input: { maxKeys: 1 }) { maxKeys } }', {}, org.slug)
  const [id = ''] = keys.map((key) => key.id)
  expect((await rotate(id, {}, org)).errors).toMatchObject([
    { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('has 2 keys in use and may have 1') },
  ])
  expect(codesOf(await rotate(id, { overlap: 0 }, org))).toEqual([])
})

it('with maxKeys: 1 the one key is rotated, and there are never more than two', async () => {
  const org = await world.organization('Single', { admin: ada })
  await ada.call('mutation { setApiKeyPolicy(input: { maxKeys: 1 }) { maxKeys } }', {}, org.slug)
  let { id } = await world.generateKey(ada, org)
  ;({ id } = await rotated(id, {}, org))
  for (let i = 0; i < 5; i++) expect(codesOf(await rotate(id, {}, org))).toEqual(['CONFLICT'])
  const count = '{ organization { activeApiKeyCount } }'
  expect(fieldOf<object>(await ada.call(count, {}, org.slug))).toEqual({ activeApiKeyCount: 2 })
})

it('of two who rotate a key at once, one is told that it has been replaced', async () => {
  for (let round = 0; round < 5; round++) {
    const { id, secret } = await world.generateKey(ada, acme)
    const answers = await Promise.all([rotate(id), world.asKey(secret).call(ROTATE, { id })])
    expect(answers.flatMap(codesOf)).toEqual(['CONFLICT'])
  }
})

it('in a list each of the two has the other', async () => {
  const org = await world.organization('Pairs', { admin: ada })
  for (let i = 0; i < 3; i++) await rotated((await world.generateKey(ada, org)).id, {}, org)
  const list = '{ apiKeys { data { id replaces { id } replacedBy { id } } } }'
  const { data } = fieldOf<{ data: Shown[] }>(await ada.call(list, {}, org.slug))
  const byId = new Map(data.map((key) => [key.id, key]))
  expect(data.length).toBe(6)
  for (const { id, replaces, replacedBy } of data) {
    expect([replaces, replacedBy].filter((side) => side === null).length).toBe(1)
    if (replaces) expect(byId.get(replaces.id)?.replacedBy).toEqual({ id })
  }
})

it('RFC 9745, RFC 8594: answers to the old key tell since when it is replaced and when it ends; others tell nothing', async () => {
  const [old, plain] = [
    await world.generateKey(ada, acme),
    await world.generateKey(ada, acme, { expiresAt: inFuture(DAY) }),
  ]
  expect((await ask(old.secret)).headers.has('deprecation')).toBe(false)
  await later(MINUTE)
  const rotatedAt = world.clock.now()
  const fresh = await rotated(old.id, { overlap: 3600 })
  await later(MINUTE)

  const { headers } = await ask(old.secret)
  expect(headers.get('deprecation')).toBe(`@${Math.floor(rotatedAt / SECOND)}`)
  expect(headers.get('sunset')).toBe(new Date(rotatedAt + HOUR).toUTCString())
  for (const { secret } of [fresh, plain]) {
    const answer = await ask(secret)
    expect([answer.status, answer.headers.has('deprecation'), answer.headers.has('sunset')]).toEqual([
      200,
      false,
      false,
    ])
  }
  await later(HOUR)
  expect(await verdict(old.secret)).toBe('API_KEY_EXPIRED')
  expect((await ask(old.secret)).headers.has('deprecation')).toBe(false)
})
