import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { codesOf, peopleAs } from '../../test/support/world/people.ts'
import { bytesOf, setBytes, useUp } from '../../test/support/world/stored-bytes.ts'
import { webhooksAs } from '../../test/support/world/webhooks.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'
import { DAY, SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { runBackgroundJobs } from '../process/background-jobs.ts'

const it = inOrganization(startWorld)

const lastAction = async (world: World, organizationId: string) =>
  (
    await world.database.read
      .selectFrom('auditEvent')
      .select('action')
      .where('organizationId', '=', organizationId)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
  ).action

type End = [name: string, action: string, field: (key: TestKey) => string]

const ENDS: End[] = [
  ['revoking a key', 'api_key.revoked', ({ id }) => `revokeApiKey(id: "${id}") { ids }`],
  ['revoking many', 'api_keys.revoked', () => 'revokeApiKeys(input: { all: true }) { ids }'],
  ['pausing a key', 'api_key.paused', ({ id }) => `pauseApiKey(id: "${id}") { id }`],
  [
    'switching keys off and revoking them',
    'api_keys.switched_off',
    () => 'setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id }',
  ],
  ['reporting a leak', 'api_key.leaked', ({ secret }) => `reportLeakedApiKey(secret: "${secret}") { __typename }`],
]

it.for(ENDS)(
  'C20: with every budget used up, %s works and is recorded',
  async ([, action, field], { world, acme, key }) => {
    await useUp(world, acme.id)
    expect(await acme.call(`mutation { ${field(key)} }`)).toMatchObject({ status: 200, errors: [] })
    expect(await world.accepts(key.secret)).toBe(false)
    expect(await lastAction(world, acme.id)).toBe(action)
    expect(await bytesOf(world, acme.id, 'audit_bytes_a_day')).toBeGreaterThan(2 * LIMITS.audit_bytes_a_day)
  },
)

it('C20: a change of the policy works beyond the budget, up to twice as much, and revokes what it is applied to', async ({
  world,
  acme,
  key,
}) => {
  const change = (maxKeys: number) =>
    acme.call(`mutation { setApiKeyPolicy(input: { maxKeys: ${maxKeys} }, applyToExisting: [MAX_KEYS]) { maxKeys } }`)
  await acme.generateKey()
  await setBytes(world, acme.id, 'audit_bytes_a_day', LIMITS.audit_bytes_a_day)
  expect(codesOf(await change(1))).toEqual([])
  expect(await world.accepts(key.secret)).toBe(false)
  await useUp(world, acme.id)
  expect(codesOf(await change(2))).toEqual(['LIMIT_EXCEEDED'])
})

it('C20: beyond the budget, up to twice as much, keys are rotated and narrowed, and webhooks disabled and deleted', async ({
  world,
  acme,
  key,
}) => {
  const { create } = webhooksAs(acme.call)
  const [kept, { webhook: disabled }] = [await acme.generateKey({ requestsPerDay: 10 }), await create()]
  const { webhook: deleted } = await create()
  const mutate = async (field: string) => codesOf(await acme.call(`mutation { ${field} { __typename } }`))
  const narrow = (to: number | null) => mutate(`updateApiKey(id: "${kept.id}", input: { requestsPerDay: ${to} })`)
  const enable = (enabled: boolean) => mutate(`updateWebhook(id: "${disabled.id}", input: { enabled: ${enabled} })`)
  const rotate = () => mutate(`rotateApiKey(id: "${key.id}")`)
  const remove = async () => codesOf(await acme.call(`mutation { deleteWebhook(id: "${deleted.id}") }`))
  await useUp(world, acme.id)
  for (const refused of [rotate(), narrow(9), enable(false), remove()])
    expect(await refused).toEqual(['LIMIT_EXCEEDED'])
  for (const kind of ['audit_bytes_a_day', 'delivery_bytes'] as const)
    await setBytes(world, acme.id, kind, LIMITS[kind])
  for (const done of [rotate(), narrow(9), enable(false), remove()]) expect(await done).toEqual([])
  for (const refused of [narrow(11), narrow(null), enable(true)]) expect(await refused).toEqual(['LIMIT_EXCEEDED'])
})

it('C20: pausing the same key again and again does not fill the audit log', async ({ world, acme, key }) => {
  const pause = (seconds: number | null) =>
    acme.call(`mutation { pauseApiKey(id: "${key.id}", seconds: ${seconds}) { id } }`)
  await setBytes(world, acme.id, 'audit_bytes_a_day', LIMITS.audit_bytes_a_day)
  expect(codesOf(await pause(1))).toEqual([])
  world.clock.advance(2 * SECOND) // it is not paused any more
  await useUp(world, acme.id)
  expect(codesOf(await pause(1))).toEqual(['LIMIT_EXCEEDED'])
  expect(codesOf(await pause(null))).toEqual([])
  for (const seconds of [null, 1]) expect(codesOf(await pause(seconds))).toEqual(['LIMIT_EXCEEDED'])
})

it('C20: people lose their role and their place beyond the budget, and get no new ones', async ({
  world,
  acme,
  bob,
}) => {
  const { changeRole, remove } = peopleAs(acme.call)
  await changeRole(bob.userId, 'ADMIN')
  await useUp(world, acme.id)
  expect(codesOf(await changeRole(bob.userId, 'MEMBER'))).toEqual([])
  expect(codesOf(await changeRole(bob.userId, 'ADMIN'))).toEqual(['LIMIT_EXCEEDED'])
  expect(codesOf(await remove(bob.userId))).toEqual([])
})

it('C20: people sign in and out beyond the budget of their personal account', async ({ world, ada }) => {
  const { organizationId } = await personalOf(world, ada.email)
  await useUp(world, organizationId)
  const signedIn = await world.post('/auth/sign-in', { email: ada.email, password: ada.password })
  expect(signedIn.status).toBe(200)
  expect(await lastAction(world, organizationId)).toBe('user.signed_in')
  const cookie = signedIn.cookie ?? ''
  expect((await world.post('/auth/sign-out', {}, { cookie })).status).toBeLessThan(300)
  expect((await world.personOf(ada.name, ada.email, { ...signedIn, cookie: ada.cookie })).userId).toBe(ada.userId)
})

it('C20: what gives access or adds to the audit log is refused, and reads are answered', async ({
  world,
  acme,
  key,
}) => {
  await useUp(world, acme.id)
  for (const field of ['generateApiKey', `rotateApiKey(id: "${key.id}")`])
    expect(codesOf(await acme.call(`mutation { ${field} { secret } }`))).toEqual(['LIMIT_EXCEEDED'])
  expect(codesOf(await acme.call('{ apiKeys { data { id } } auditEvents { data { id } } }'))).toEqual([])
})

it('C20: background jobs go on beyond the budget', async ({ world, acme }) => {
  const log = createLog('silent')
  const { database, config, clock } = world
  await expired(world, acme)
  await useUp(world, acme.id)
  await runBackgroundJobs({ database, config, log, now: clock.now, webDir: undefined })
  expect(await lastAction(world, acme.id)).toBe('api_key.removed')
})

async function expired(world: World, acme: TestOrganization): Promise<void> {
  await acme.generateKey({ label: 'old', expiresAt: new Date(world.clock.now() + DAY).toISOString() })
  world.clock.advance(40 * DAY)
}

const personalOf = ({ database }: World, email: string) =>
  database.read
    .selectFrom('user')
    .select('personalOrganizationId as organizationId')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
