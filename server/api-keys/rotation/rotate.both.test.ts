import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, fieldOf, later } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
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

const it = inOrganization(startWorld)

const iso = (at: number) => new Date(at).toISOString()
const inFuture = (world: World, ms: number) => iso(world.clock.now() + ms)
const rotate = (of: TestOrganization, id: string, how: object = {}) => of.call(ROTATE, { id, ...how })
const show = async (of: TestOrganization, id: string) => fieldOf<Shown>(await of.call(SHOW, { id }))
const ask = (world: World, secret: string) => world.asKey(secret).call('{ viewer { role } }')

async function rotated(of: TestOrganization, id: string, how: object = {}): Promise<TestKey & Shown> {
  const { apiKey, secret } = fieldOf<{ secret: string; apiKey: Shown }>(await rotate(of, id, how))
  return { ...apiKey, secret }
}

/** `ok`, or the code of the refusal. */
async function verdict(world: World, secret: string): Promise<string> {
  const { status, errors } = await ask(world, secret)
  return status === 200 ? 'ok' : (errors[0]?.code ?? String(status))
}

it('both keys are accepted during the overlap, a day by default, and then only the new one', async ({
  world,
  ada,
  acme,
}) => {
  const old = await acme.generateKey({ label: 'export' })
  const fresh = await rotated(acme, old.id)

  expect(fresh).toMatchObject({ label: 'export', expiresAt: null, replaces: { id: old.id }, replacedBy: null })
  expect(fresh.createdBy).toEqual({ kind: 'USER', id: ada.userId })
  const replacedBy = { id: fresh.id }
  expect(await show(acme, old.id)).toMatchObject({ expiresAt: inFuture(world, DAY), replaces: null, replacedBy })
  await later(world, ada, DAY - 1)
  expect([await verdict(world, old.secret), await verdict(world, fresh.secret)]).toEqual(['ok', 'ok'])
  await later(world, ada, 1)
  expect([await verdict(world, old.secret), await verdict(world, fresh.secret)]).toEqual(['API_KEY_EXPIRED', 'ok'])
})

it('the audit entry has both keys and the overlap, and no secret', async ({ acme }) => {
  const old = await acme.generateKey({ label: 'told' })
  const fresh = await rotated(acme, old.id, { overlap: 90 })
  expect(fieldOf<{ data: unknown[] }>(await acme.call(AUDIT)).data).toEqual([
    {
      action: 'API_KEY_ROTATED',
      subject: 'told',
      details: `key ${fresh.id} replaces key ${old.id}; overlap 90 s`,
      actor: { kind: 'USER' },
    },
  ])
})

it('K10: without an overlap the old key is revoked: refused as unknown, and not listed', async ({ world, acme }) => {
  const old = await acme.generateKey()
  const fresh = await rotated(acme, old.id, { overlap: 0 })

  expect([await verdict(world, old.secret), await verdict(world, fresh.secret)]).toEqual(['API_KEY_INVALID', 'ok'])
  expect(codesOf(await acme.call(SHOW, { id: old.id }))).toEqual(['NOT_FOUND'])
  expect(await show(acme, fresh.id)).toMatchObject({ replaces: null })
})

it('K10: a key that rotates itself without overlap gets its answer and is then refused', async ({ world, acme }) => {
  const old = await acme.generateKey({ label: 'own' })
  const answer = await world.asKey(old.secret).call(ROTATE, { id: old.id, overlap: 0 })
  const { secret, apiKey } = fieldOf<{ secret: string; apiKey: Shown }>(answer)

  expect(apiKey).toMatchObject({ label: 'own', createdBy: { kind: 'API_KEY', id: old.id } })
  expect([await verdict(world, old.secret), await verdict(world, secret)]).toEqual(['API_KEY_INVALID', 'ok'])
})

it('C2: a key that rotates itself repeatedly stores only ancestors that still exist', async ({ world, acme }) => {
  let { id, secret } = await acme.generateKey()
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

it.for<[string, number | null, { expiresIn?: number }, number | null]>([
  ['no end', null, {}, null],
  ['the same length of life', 10 * DAY, {}, 10 * DAY],
  ['an end that is given', 10 * DAY, { expiresIn: 3 * DAY }, 3 * DAY],
  ['an end that is given, where there was none', null, { expiresIn: 3 * DAY }, 3 * DAY],
])('the new key has %s', async ([_words, life, { expiresIn }, expected], { world, ada, acme }) => {
  const old = await acme.generateKey(life === null ? {} : { expiresAt: inFuture(world, life) })
  await later(world, ada, 2 * DAY)
  const how = expiresIn === undefined ? {} : { expiresAt: inFuture(world, expiresIn) }
  expect((await rotated(acme, old.id, how)).expiresAt).toBe(expected === null ? null : inFuture(world, expected))
})

it('an old key that expires before the end of the overlap keeps its expiration', async ({ world, acme }) => {
  const old = await acme.generateKey({ expiresAt: inFuture(world, HOUR) })
  await rotated(acme, old.id, { overlap: DAY / SECOND })
  expect((await show(acme, old.id)).expiresAt).toBe(inFuture(world, HOUR))
})

it.for<[object, string]>([
  [{ overlap: -1 }, 'overlapSeconds'],
  [{ overlap: 604_801 }, 'overlapSeconds'],
  [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
])('refuses %o and names the field', async ([how, field], { acme }) => {
  const old = await acme.generateKey()
  expect((await rotate(acme, old.id, how)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
  expect(await show(acme, old.id)).toMatchObject({ expiresAt: null, replacedBy: null })
  expect(codesOf(await rotate(acme, old.id, { overlap: 604_800 }))).toEqual([])
})

it('refuses an overlap of half a second', async ({ acme }) => {
  const { id } = await acme.generateKey()
  expect(codesOf(await rotate(acme, id, { overlap: 1.5 }))).toEqual(['BAD_USER_INPUT'])
  expect(await show(acme, id)).toMatchObject({ expiresAt: null, replacedBy: null })
})

it('a key can be rotated once; an expired key cannot', async ({ world, ada, acme }) => {
  const old = await acme.generateKey({ expiresAt: inFuture(world, HOUR) })
  const second = await rotated(acme, old.id, { expiresAt: inFuture(world, 2 * HOUR) })
  expect(codesOf(await rotate(acme, old.id))).toEqual(['CONFLICT'])
  await later(world, ada, HOUR)
  const third = await rotated(acme, second.id, { expiresAt: inFuture(world, HOUR) })
  expect((await show(acme, second.id)).replacedBy).toEqual({ id: third.id })
  await later(world, ada, HOUR)
  expect((await rotate(acme, third.id)).errors).toMatchObject([
    { code: 'CONFLICT', message: expect.stringMatching(/expir/) },
  ])
})

it('a key whose new secret was lost can be replaced at once, and the one before it points to the new one', async ({
  world,
  acme,
}) => {
  const old = await acme.generateKey()
  const lost = await rotated(acme, old.id)
  const again = fieldOf<{ secret: string; apiKey: Shown }>(
    await world.asKey(old.secret).call(ROTATE, { id: lost.id, overlap: 0 }),
  )
  expect(again.apiKey.replaces).toEqual({ id: old.id })
  expect((await show(acme, old.id)).replacedBy).toEqual({ id: again.apiKey.id })
  expect(await Promise.all([old, lost, again].map(({ secret }) => verdict(world, secret)))).toEqual([
    'ok',
    'API_KEY_INVALID',
    'ok',
  ])
})

it('K3: with the feature off no key can be rotated', async ({ world, acme }) => {
  const { id, secret } = await acme.generateKey()
  await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
  expect(codesOf(await rotate(acme, id))).toEqual(['FEATURE_DISABLED'])
  expect(codesOf(await world.asKey(secret).call(ROTATE, { id }))).toEqual(['FEATURE_DISABLED'])
})

it('A3: a key of another organization gives the same answer as a key that does not exist', async ({
  world,
  ada,
  acme,
}) => {
  const other = await world.organization('Elsewhere', { admin: ada })
  const theirs = await other.generateKey()
  const answers = await Promise.all([theirs.id, '0'.repeat(26), ''].map((id) => rotate(acme, id)))
  const refusals = answers.map(({ status, data, errors }) => ({ status, data, message: errors.map((e) => e.message) }))
  expect(codesOf(answers[0] ?? (await rotate(acme, '')))).toEqual(['NOT_FOUND'])
  expect(refusals[1]).toEqual(refusals[0])
  expect(refusals[2]).toEqual(refusals[0])
  expect(await verdict(world, theirs.secret)).toBe('ok')
})

it('a key cannot be rotated with an overlap while the one before it is accepted', async ({ world, ada, acme }) => {
  const old = await acme.generateKey()
  const second = await rotated(acme, old.id, { overlap: 3600 })
  const { errors } = await rotate(acme, second.id)
  expect(errors).toMatchObject([{ code: 'CONFLICT' }])
  expect(errors[0]?.message).toContain(`${old.id}, is still accepted until ${inFuture(world, HOUR)}`)
  expect(errors[0]?.message).toMatch(/revoke that one, or wait, or rotate with an overlap of 0/)

  const third = await rotated(acme, second.id, { overlap: 0 })
  expect(await Promise.all([old, second, third].map(({ secret }) => verdict(world, secret)))).toEqual([
    'ok',
    'API_KEY_INVALID',
    'ok',
  ])
  expect(codesOf(await rotate(acme, third.id))).toEqual(['CONFLICT'])
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: old.id })
  const fourth = await rotated(acme, third.id, { overlap: 3600 })
  await later(world, ada, HOUR)
  expect(codesOf(await rotate(acme, fourth.id))).toEqual([])
})

it('a replaced key counts until it expires: at the maximum, keys can be rotated but not generated', async ({
  world,
  ada,
  acme,
}) => {
  const keys: TestKey[] = []
  for (let i = 0; i < 100; i++) keys.push(await acme.generateKey())
  expect(codesOf(await acme.call(GENERATE))).toEqual(['LIMIT_EXCEEDED'])
  for (const { id } of keys) expect(codesOf(await rotate(acme, id, { overlap: 3600 }))).toEqual([])
  const { data } = fieldOf<{ data: { id: string }[] }>(await acme.call('{ apiKeys { data { id } } }'))
  const newest = data[0]?.id
  await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: newest })
  expect(codesOf(await acme.call(GENERATE))).toEqual(['LIMIT_EXCEEDED'])
  await later(world, ada, HOUR)
  expect(codesOf(await acme.call(GENERATE))).toEqual([])
})

it('with more keys than the policy allows, keys can be rotated only without an overlap', async ({ acme }) => {
  const keys = [await acme.generateKey(), await acme.generateKey()]
  await acme.call('mutation { setApiKeyPolicy(input: { maxKeys: 1 }) { maxKeys } }')
  const [id = ''] = keys.map((key) => key.id)
  expect((await rotate(acme, id)).errors).toMatchObject([
    { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('has 2 keys in use and may have 1') },
  ])
  expect(codesOf(await rotate(acme, id, { overlap: 0 }))).toEqual([])
})

it('with maxKeys: 1 the key can be rotated, and there are never more than two', async ({ acme }) => {
  await acme.call('mutation { setApiKeyPolicy(input: { maxKeys: 1 }) { maxKeys } }')
  let { id } = await acme.generateKey()
  ;({ id } = await rotated(acme, id))
  for (let i = 0; i < 5; i++) expect(codesOf(await rotate(acme, id))).toEqual(['CONFLICT'])
  const count = '{ organization { activeApiKeyCount } }'
  expect(fieldOf<object>(await acme.call(count))).toEqual({ activeApiKeyCount: 2 })
})

it('of two concurrent rotations of a key, one is refused because it has been replaced', async ({ world, acme }) => {
  for (let round = 0; round < 5; round++) {
    const { id, secret } = await acme.generateKey()
    const answers = await Promise.all([rotate(acme, id), world.asKey(secret).call(ROTATE, { id })])
    expect(answers.flatMap(codesOf)).toEqual(['CONFLICT'])
  }
})

it('in a list, each of the two keys refers to the other', async ({ acme }) => {
  for (let i = 0; i < 3; i++) await rotated(acme, (await acme.generateKey()).id)
  const list = '{ apiKeys { data { id replaces { id } replacedBy { id } } } }'
  const { data } = fieldOf<{ data: Shown[] }>(await acme.call(list))
  const byId = new Map(data.map((key) => [key.id, key]))
  expect(data.length).toBe(6)
  for (const { id, replaces, replacedBy } of data) {
    expect([replaces, replacedBy].filter((side) => side === null).length).toBe(1)
    if (replaces) expect(byId.get(replaces.id)?.replacedBy).toEqual({ id })
  }
})

it('RFC 9745, RFC 8594: responses to the old key say since when it is replaced and when it expires; others do not', async ({
  world,
  ada,
  acme,
}) => {
  const [old, plain] = [await acme.generateKey(), await acme.generateKey({ expiresAt: inFuture(world, DAY) })]
  expect((await ask(world, old.secret)).headers.has('deprecation')).toBe(false)
  await later(world, ada, MINUTE)
  const rotatedAt = world.clock.now()
  const fresh = await rotated(acme, old.id, { overlap: 3600 })
  await later(world, ada, MINUTE)

  const { headers } = await ask(world, old.secret)
  expect(headers.get('deprecation')).toBe(`@${Math.floor(rotatedAt / SECOND)}`)
  expect(headers.get('sunset')).toBe(new Date(rotatedAt + HOUR).toUTCString())
  for (const { secret } of [fresh, plain]) {
    const { status, headers } = await ask(world, secret)
    expect([status, headers.has('deprecation'), headers.has('sunset')]).toEqual([200, false, false])
  }
  await later(world, ada, HOUR)
  expect(await verdict(world, old.secret)).toBe('API_KEY_EXPIRED')
  expect((await ask(world, old.secret)).headers.has('deprecation')).toBe(false)
})
