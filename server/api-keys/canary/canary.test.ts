import { describe, expect, onTestFinished, vi } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { backgroundOf } from '../../../test/support/world/mail-world.ts'
import { codesOf, eventsOf, fieldOf, peopleAs } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { LIMITS } from '../../config/limits.ts'
import { AppError } from '../../lib/app-error.ts'
import { HOUR } from '../../lib/clock.ts'
import { hashSecret, mintSecret } from '../../secrets/secret.ts'
import { createCanaryWatch } from './watch.ts'

const it = inOrganization(() => startWorld({ env: { TRUST_PROXY: 'on' }, tuning: { canaryCheckMs: 1 } }))

const GENERATE =
  'mutation ($label: String!) { generateCanaryApiKey(label: $label) { secret canaryApiKey { id label prefix calls } } }'
const LIST = `{ canaryApiKeys {
  id label prefix calls lastUsedAt lastUsedIp lastUsedUserAgent leakedAt createdBy { kind name } } }`

interface Canary {
  id: string
  label: string
  prefix: string
  calls: number
  lastUsedAt: string | null
  lastUsedIp: string | null
  lastUsedUserAgent: string | null
}

const generate = async (acme: TestOrganization, label = 'in the backup') =>
  fieldOf<{ secret: string; canaryApiKey: Canary }>(await acme.call(GENERATE, { label }))
const list = async (acme: TestOrganization) => fieldOf<Canary[]>(await acme.call(LIST))
const alarmsOf = async (acme: TestOrganization) =>
  eventsOf(await peopleAs(acme.call).audit()).filter(({ action }) => action === 'CANARY_KEY_USED')
const emailsOf = async (acme: TestOrganization) =>
  fieldOf<{ data: { to: string; subject: string; text: string }[] }>(
    await acme.call('{ emails { data { to subject text } } }'),
  ).data

const callWith = async (world: World, secret: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${world.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-secret': secret, 'user-agent': 'thief/1.0', ...headers },
    body: '{"query":"{ viewer { role } }"}',
  })
  const kept = ['www-authenticate', 'content-type', 'retry-after', 'ratelimit', 'content-length']
  return {
    status: answer.status,
    headers: kept.map((name) => answer.headers.get(name)),
    body: (await answer.text()).replace(/"requestId":"[^"]+"/, ''),
  }
}

const usedTimes = (acme: TestOrganization, calls: number) =>
  expect.poll(async () => (await list(acme)).map((each) => each.calls)).toEqual([calls])

describe('a canary key', () => {
  it('has the shape of a key, is shown once, and is not among the keys', async ({ world, acme }) => {
    const { secret, canaryApiKey } = await generate(acme)
    expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
    expect(canaryApiKey).toMatchObject({ label: 'in the backup', prefix: secret.slice(0, 10), calls: 0 })
    expect(await list(acme)).toMatchObject([{ id: canaryApiKey.id, lastUsedAt: null, createdBy: { name: 'Ada' } }])
    const keys = await acme.call('{ apiKeys { data { id } totalCount } organization { activeApiKeyCount } }')
    expect(keys.data).toEqual({ apiKeys: { data: [], totalCount: 0 }, organization: { activeApiKeyCount: 0 } })
    expect([await world.storage.dump(), world.logged().join()].join()).not.toContain(secret)
  })

  it('A5: is refused with the same answer as an unknown key, also to write', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    expect(await callWith(world, secret)).toEqual(await callWith(world, mintSecret('emp_')))
    expect((await callWith(world, secret)).status).toBe(401)
    const write = await world.asKey(secret).call('mutation { createDevice(input: { name: "x" }) { id } }')
    expect(codesOf(write)).toEqual(['API_KEY_INVALID'])
    for (const field of ['apiKey', 'revokeApiKey', 'rotateApiKey'])
      expect(await world.database.read.selectFrom('apiKey').select('id').execute(), field).toEqual([])
  })

  it('raises an alarm with address, time and user agent', async ({ world, ada, acme }) => {
    const { secret, canaryApiKey } = await generate(acme)
    await callWith(world, secret)
    await usedTimes(acme, 1)
    expect(await list(acme)).toMatchObject([
      { lastUsedAt: '2026-11-15T12:00:00.000Z', lastUsedIp: '127.0.0.1', lastUsedUserAgent: 'thief/1.0' },
    ])
    expect(await alarmsOf(acme)).toEqual([
      {
        action: 'CANARY_KEY_USED',
        subject: 'in the backup',
        details: `from 127.0.0.1 by thief/1.0; canary ${canaryApiKey.id}`,
        actor: { kind: 'SYSTEM', name: 'portal' },
      },
    ])
    const [email, another] = await emailsOf(acme)
    expect(another).toBeUndefined()
    expect(email).toMatchObject({ to: ada.email, subject: 'Canary key in the backup of Acme was used' })
    for (const text of ['2026-11-15 12:00 UTC from 127.0.0.1', 'thief/1.0', `/${acme.slug}/audit`])
      expect(email?.text).toContain(text)
    expect(world.logged().join()).toContain('a canary key was used')
  })

  it('is counted each time, with an email once an hour', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    const callers = { 'user-agent': `${secret}\u0080${'x'.repeat(500)}` }
    for (let i = 1; i <= 5; i++) {
      await callWith(world, secret, callers)
      await usedTimes(acme, i)
    }
    expect([await alarmsOf(acme), await emailsOf(acme)].map(({ length }) => length)).toEqual([1, 1])
    world.clock.advance(HOUR)
    await Promise.all([callWith(world, secret), callWith(world, secret)])
    await usedTimes(acme, 7)
    expect([await alarmsOf(acme), await emailsOf(acme)].map(({ length }) => length)).toEqual([2, 2])
    expect((await emailsOf(acme))[0]?.text).toMatch(/calls so far: [67]/)
    expect(await world.storage.dump()).not.toContain(secret)
  })

  it('raises no alarm for its own Admins or others: only a call counts', async ({ world, acme, key }) => {
    await generate(acme)
    await callWith(world, mintSecret('emp_'))
    await callWith(world, key.secret)
    await callWith(world, 'emp_nonsense')
    const { secret } = await generate(acme, 'second')
    await callWith(world, secret) // the check of this one comes after those of the others
    await expect.poll(async () => (await list(acme)).map(({ calls }) => calls)).toEqual([1, 0])
  })

  it('is deleted, and then like any unknown key', async ({ world, acme }) => {
    const { secret, canaryApiKey } = await generate(acme)
    const remove = 'mutation ($id: ID!) { deleteCanaryApiKey(id: $id) }'
    expect(fieldOf(await acme.call(remove, { id: canaryApiKey.id }))).toBe(canaryApiKey.id)
    expect(codesOf(await acme.call(remove, { id: canaryApiKey.id }))).toEqual(['NOT_FOUND'])
    expect((await callWith(world, secret)).status).toBe(401)
    expect(await list(acme)).toEqual([])
    const actions = eventsOf(await peopleAs(acme.call).audit()).map(({ action }) => action)
    expect(actions.filter((action) => action.startsWith('CANARY_KEY'))).toEqual([
      'CANARY_KEY_DELETED',
      'CANARY_KEY_GENERATED',
    ])
  })

  it('K3: is not generated where API keys are disabled, but listed and watched', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    expect(codesOf(await acme.call(GENERATE, { label: 'late' }))).toEqual(['FEATURE_DISABLED'])
    await callWith(world, secret)
    await usedTimes(acme, 1)
  })

  it('is one of at most 50, and needs a label without a secret in it', async ({ acme }) => {
    for (let i = 0; i < LIMITS.canary_keys; i++) await generate(acme, `canary ${i}`)
    expect(codesOf(await acme.call(GENERATE, { label: 'one more' }))).toEqual(['LIMIT_EXCEEDED'])
    for (const label of ['', ' ', mintSecret('emp_'), 'x'.repeat(81)])
      expect(await acme.call(GENERATE, { label })).toMatchObject({
        errors: [{ code: 'BAD_USER_INPUT', field: 'label' }],
      })
  })

  it('of another organization is not there', async ({ world, ada, acme }) => {
    const other = await world.organization('Other', { admin: ada })
    const { canaryApiKey } = await generate(other)
    expect(await list(acme)).toEqual([])
    const remove = await acme.call('mutation ($id: ID!) { deleteCanaryApiKey(id: $id) }', { id: canaryApiKey.id })
    expect(codesOf(remove)).toEqual(['NOT_FOUND'])
  })
})

describe('the alarms of a canary key', () => {
  const numbers = async (acme: TestOrganization) =>
    [await alarmsOf(acme), await emailsOf(acme)].map(({ length }) => length)

  it('are entries for 20 sources an hour at most, while every call is counted', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    const from = (address: string) => callWith(world, secret, { 'x-forwarded-for': address })
    for (let i = 1; i <= 18; i++) await from(`192.0.2.${i}`)
    for (const address of ['192.0.2.1', '2001:db8::1', '2001:db8::2']) await from(address)
    await usedTimes(acme, 21)
    expect(await numbers(acme)).toEqual([19, 1])
    for (const address of ['198.51.100.1', '198.51.100.2']) await from(address)
    await usedTimes(acme, 23)
    expect(await numbers(acme)).toEqual([20, 1])
    world.clock.advance(HOUR)
    await from('198.51.100.1')
    await usedTimes(acme, 24)
    expect(await numbers(acme)).toEqual([21, 2])
  })

  it('are of their own for each canary key', async ({ world, acme }) => {
    for (const { secret } of [await generate(acme, 'one'), await generate(acme, 'other')]) await callWith(world, secret)
    await expect.poll(async () => (await list(acme)).map(({ calls }) => calls)).toEqual([1, 1])
    expect(await numbers(acme)).toEqual([2, 2])
  })

  it('are an email again after an hour and not before, also when the clock was set back', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    const steps: [ms: number, emails: number][] = [
      [0, 1],
      [HOUR - 1, 1],
      [1, 2],
      [1 - HOUR, 2],
      [-1, 3],
    ]
    for (const [index, [ms, emails]] of steps.entries()) {
      world.clock.advance(ms)
      await callWith(world, secret)
      await usedTimes(acme, index + 1)
      expect((await emailsOf(acme)).length, `step ${index}`).toBe(emails)
    }
    world.clock.advance(HOUR)
  })

  it('are raised later, with their entry, if the database refuses them at first', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    const refusal = new AppError('UNAVAILABLE', { retryAfterSeconds: 1 })
    const spy = vi.spyOn(world.database, 'transaction').mockRejectedValueOnce(refusal)
    onTestFinished(() => spy.mockRestore())
    await callWith(world, secret)
    await usedTimes(acme, 1)
    expect(await numbers(acme)).toEqual([1, 1])
  })
})

describe('the watch for canary keys', () => {
  const watchOf = (world: World) => createCanaryWatch({ ...backgroundOf(world).deps, canaryCheckMs: 10 * HOUR })
  const callFrom = (world: World, address: string) => ({ at: world.clock.now(), address, userAgent: 'thief' })

  it('tries again, with all that it has noted, while the keys cannot be looked up', async ({ world, acme }) => {
    const { secret } = await generate(acme)
    const rename = (from: 'canaryApiKey' | 'elsewhere', to: string) =>
      world.database.transaction((db) => db.schema.alterTable(from).renameTo(to).execute())
    await rename('canaryApiKey', 'elsewhere')
    await callWith(world, secret)
    await callWith(world, secret)
    await expect.poll(() => world.logged().join()).toContain('could not be compared with canary keys')
    await rename('elsewhere', 'canaryApiKey')
    await usedTimes(acme, 2)
  })

  it('keeps the last 20 calls with a secret until they are looked up, and the number of all', async ({
    world,
    acme,
  }) => {
    const { secret } = await generate(acme)
    const watch = watchOf(world)
    const addresses = Array.from({ length: 25 }, (_, i) => `192.0.2.${i}`)
    for (const address of addresses) watch.note(hashSecret(secret), callFrom(world, address))
    await watch.close()
    expect(await list(acme)).toMatchObject([{ calls: 25, lastUsedIp: addresses.at(-1) }])
    const from = (await alarmsOf(acme)).map(({ details }) => /^from (\S+)/.exec(details ?? '')?.[1])
    expect(from.toReversed()).toEqual(addresses.slice(-20))
  })

  it('lets 10,000 secrets wait and no more, with all further calls of those', async ({ world, acme }) => {
    const [first, last, late] = [await generate(acme), await generate(acme), await generate(acme)]
    const watch = watchOf(world)
    const note = (secret: string) => watch.note(hashSecret(secret), callFrom(world, '192.0.2.1'))
    note(first.secret)
    for (let i = 0; i < 9998; i++) note(`unknown ${i}`)
    for (const { secret } of [last, late, first]) note(secret)
    await watch.close()
    const calls = new Map((await list(acme)).map((canary) => [canary.id, canary.calls]))
    expect([first, last, late].map(({ canaryApiKey }) => calls.get(canaryApiKey.id))).toEqual([2, 1, 0])
  })
})

it('the alarm of a process that stops is raised before it ends', async ({ world, acme }) => {
  const beside = await startWorld({ beside: world, tuning: { canaryCheckMs: 10 * HOUR } })
  const { secret } = await generate(acme)
  for (let i = 0; i < 25; i++) await callWith(beside, secret, { 'user-agent': `thief/${i}` })
  expect(await list(acme)).toMatchObject([{ calls: 0 }])
  await beside.close()
  expect(await list(acme)).toMatchObject([{ calls: 25, lastUsedUserAgent: 'thief/24' }])
})
