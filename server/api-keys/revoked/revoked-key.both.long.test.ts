import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization } from '../../../test/support/world/world.ts'
import { deleteInSteps } from '../../db/delete-in-steps.ts'
import { DAY, SECOND } from '../../lib/clock.ts'
import { mintSecret } from '../../secrets/secret.ts'
import { removeExpiredKeys } from '../expiry/expiry.ts'
import { oldRevokedKeys } from './revoked-key.ts'

const LIST = `query ($first: Int, $after: String) { revokedApiKeys(first: $first, after: $after) {
  data { id label prefix createdAt createdBy { kind name } lastUsedAt revokedAt revokedBy { kind id name } cause reason }
  pageInfo { hasNextPage endCursor } totalCount
} }`
const REVOKE = 'mutation ($id: ID!, $reason: String) { revokeApiKey(id: $id, reason: $reason) { ids } }'

interface Revoked {
  data: { id: string; label: string; cause: string; reason: string | null; revokedAt: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
  totalCount: number
}

const it = inOrganization(startWorld)

const list = async (acme: TestOrganization, args: object = {}) => fieldOf<Revoked>(await acme.call(LIST, args))

it('a revoked key is listed with when, by whom and why, and without its secret', async ({ world, acme, ada }) => {
  const key = await acme.generateKey({ label: 'ci' })
  const createdAt = new Date(world.clock.now()).toISOString()
  world.clock.advance(SECOND)
  await acme.call(REVOKE, { id: key.id, reason: 'Ada left the team' })
  const answer = await acme.call(LIST)
  expect(fieldOf<Revoked>(answer).data).toEqual([
    {
      id: key.id,
      label: 'ci',
      prefix: key.secret.slice(0, 10),
      createdAt,
      createdBy: { kind: 'USER', name: ada.name },
      lastUsedAt: null,
      revokedAt: new Date(world.clock.now()).toISOString(),
      revokedBy: { kind: 'USER', id: ada.userId, name: ada.name },
      cause: 'REVOKED',
      reason: 'Ada left the team',
    },
  ])
  expect(JSON.stringify(answer)).not.toContain(key.secret.slice(0, 12))
  const columns = Object.keys(
    await world.database.read.selectFrom('revokedApiKey').selectAll().executeTakeFirstOrThrow(),
  )
  expect(columns.filter((column) => /hash|secret/i.test(column))).toEqual([])
  const { data } = await acme.call('{ auditEvents(first: 1) { data { details } } }')
  expect(data).toMatchObject({ auditEvents: { data: [{ details: `key ${key.id}; reason: Ada left the team` }] } })
})

it.for<[string, string]>([
  ['', ': 1 to 200 characters.'],
  ['x'.repeat(201), ': at most 200 characters.'],
  ['a\u0000b', ': no control characters.'],
  [`found ${mintSecret('emp_')}`, ': this looks like a secret. Keep secrets out of names and labels.'],
])('a reason is checked as a label is, and nothing is revoked: %j', async ([reason, message], { acme, key }) => {
  expect((await acme.call(REVOKE, { id: key.id, reason })).errors).toMatchObject([
    { code: 'BAD_USER_INPUT', field: 'reason', message: expect.stringContaining(message) },
  ])
  const many = 'mutation ($id: ID!, $reason: String) { revokeApiKeys(input: { ids: [$id] }, reason: $reason) { ids } }'
  expect((await acme.call(many, { id: key.id, reason })).errors).toMatchObject([{ field: 'reason' }])
  expect((await acme.call('query ($id: ID!) { apiKey(id: $id) { id } }', { id: key.id })).errors).toEqual([])
})

it('keys are listed however they came to be removed', async ({ world, acme, ada }) => {
  const expiresAt = new Date(world.clock.now() + DAY).toISOString()
  const generated = async (label: string, input = {}) => (await acme.generateKey({ label, ...input })).id
  await generated('expired', { expiresAt })
  const rotated = await generated('rotated')
  const overlapped = await generated('overlapped')
  await acme.call('mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 0) { secret } }', { id: rotated })
  await acme.call('mutation ($id: ID!) { rotateApiKey(id: $id, overlapSeconds: 60) { secret } }', { id: overlapped })
  world.clock.advance(32 * DAY)
  ada.cookie = (await world.post('/auth/sign-in', ada)).cookie ?? ''
  await removeExpiredKeys(world.database, world.clock.now())
  await acme.call('mutation { revokeApiKeys(input: { unusedForDays: 30 }, reason: "spring cleaning") { ids } }')
  const chosen = await generated('chosen')
  await acme.call('mutation ($id: ID!) { revokeApiKeys(input: { ids: [$id] }) { ids } }', { id: chosen })
  await generated('first')
  world.clock.advance(SECOND)
  await generated('second')
  const policy = 'mutation { setApiKeyPolicy(input: { maxKeys: 1 }, applyToExisting: [MAX_KEYS]) { maxKeys } }'
  expect((await acme.call(policy)).errors).toEqual([])
  await acme.call('mutation { setApiKeysEnabled(enabled: false, revokeActiveKeys: true) { id } }')

  const causes = (await list(acme)).data.map(({ label, cause, reason }) => [label, cause, reason])
  expect(causes.sort()).toEqual(
    [
      ['chosen', 'REVOKED', null],
      ['expired', 'EXPIRED', null],
      ['first', 'POLICY', null],
      ['overlapped', 'ROTATED', null],
      ['overlapped', 'UNUSED', 'spring cleaning'],
      ['rotated', 'ROTATED', null],
      ['rotated', 'UNUSED', 'spring cleaning'],
      ['second', 'FEATURE_DISABLED', null],
    ].sort(),
  )
})

it('pages go on after keys that were removed in the same moment', async ({ acme }) => {
  const ids = []
  for (let i = 0; i < 5; i++) ids.push((await acme.generateKey()).id)
  await acme.call('mutation { revokeApiKeys(input: { all: true }) { ids } }')
  const seen = []
  let after: string | undefined
  for (let pages = 0; pages < 3; pages++) {
    const { data, pageInfo, totalCount } = await list(acme, { first: 2, after })
    expect([totalCount, pageInfo.hasNextPage]).toEqual([5, pages < 2])
    seen.push(...data.map(({ id }) => id))
    after = pageInfo.endCursor
  }
  expect(seen).toEqual(ids.sort().reverse())
})

it('they are stored as long as audit events are', async ({ world, acme, key }) => {
  await acme.call(REVOKE, { id: key.id })
  const at = world.clock.now()
  await deleteInSteps(world.database, oldRevokedKeys(Number.NEGATIVE_INFINITY))
  await deleteInSteps(world.database, oldRevokedKeys(at))
  expect((await list(acme)).data).toHaveLength(1)
  await deleteInSteps(world.database, oldRevokedKeys(at + 1))
  expect((await list(acme)).data).toEqual([])
})
