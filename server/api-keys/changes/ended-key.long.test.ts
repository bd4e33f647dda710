import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization } from '../../../test/support/world/world.ts'
import { DAY } from '../../lib/clock.ts'

const it = inOrganization(startWorld)

const EXPIRES = '2030-01-01T00:00:00.000Z'
const CHOSEN = { label: 'nightly', access: 'READ_ONLY', allowedNetworks: ['10.0.0.0/8'], requestsPerDay: 100 }

interface Change {
  field: string
  before: unknown
  after: unknown
}

async function newestChanges(acme: TestOrganization, action: string): Promise<Change[] | null> {
  const newest = `{ auditEvents(first: 1, filter: { action: ${action} }) { data { changes { field before after } } } }`
  return fieldOf<{ data: { changes: Change[] | null }[] }>(await acme.call(newest)).data[0]?.changes ?? null
}

describe('the audit log keeps what a key was', () => {
  const LOST = [
    { field: 'label', before: 'nightly', after: null },
    { field: 'expiresAt', before: EXPIRES, after: null },
    { field: 'access', before: 'READ_ONLY', after: null },
    { field: 'allowedNetworks', before: ['10.0.0.0/8'], after: null },
    { field: 'requestsPerDay', before: 100, after: null },
  ]

  it('that was revoked', async ({ acme }) => {
    const { id } = await acme.generateKey({ ...CHOSEN, expiresAt: EXPIRES })
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id })
    expect(await newestChanges(acme, 'API_KEY_REVOKED')).toEqual(LOST)
  })

  it('that was reported as leaked', async ({ acme }) => {
    const { secret } = await acme.generateKey({ ...CHOSEN, expiresAt: EXPIRES })
    const report = 'mutation ($secret: String!) { reportLeakedApiKey(secret: $secret) { __typename } }'
    expect(codesOf(await acme.call(report, { secret }))).toEqual([])
    expect(await newestChanges(acme, 'API_KEY_LEAKED')).toEqual(LOST)
  })

  it('that was revoked with others', async ({ acme }) => {
    const ids = [await acme.generateKey({ ...CHOSEN, expiresAt: EXPIRES }), await acme.generateKey({ label: 'plain' })]
      .map(({ id }) => id)
      .sort()
    await acme.call('mutation ($ids: [ID!]) { revokeApiKeys(input: { ids: $ids }) { ids } }', { ids })
    const restricted = `nightly; access READ_ONLY; only from 10.0.0.0/8; requests a day 100; expires ${EXPIRES}`
    expect(await newestChanges(acme, 'API_KEYS_REVOKED')).toEqual([
      { field: 'ids', before: ids, after: null },
      { field: 'apiKeys', before: [restricted, 'plain'], after: null },
    ])
  })
})

it('the audit log says when a key expires earlier by a policy', async ({ world, acme, key }) => {
  const apply = `mutation { setApiKeyPolicy(input: { maxLifetimeDays: 30, expiryRequired: true },
    applyToExisting: [MAX_LIFETIME, EXPIRY_REQUIRED]) { maxLifetimeDays } }`
  expect(codesOf(await acme.call(apply))).toEqual([])
  const expiresAt = new Date(world.clock.now() + 30 * DAY).toISOString()
  expect(await newestChanges(acme, 'API_KEY_UPDATED')).toEqual([{ field: 'expiresAt', before: null, after: expiresAt }])
  const ofKey = `query ($id: ID) { auditEvents(filter: { subjectId: $id, action: API_KEY_UPDATED }) { totalCount } }`
  expect(fieldOf(await acme.call(ofKey, { id: key.id }))).toEqual({ totalCount: 1 })
})

it('a canary key that is generated, and deleted', async ({ acme }) => {
  const generate = 'mutation { generateCanaryApiKey(label: "in the backup") { canaryApiKey { id } } }'
  const { canaryApiKey } = fieldOf<{ canaryApiKey: { id: string } }>(await acme.call(generate))
  expect(await newestChanges(acme, 'CANARY_KEY_GENERATED')).toEqual([
    { field: 'label', before: null, after: 'in the backup' },
  ])
  await acme.call('mutation ($id: ID!) { deleteCanaryApiKey(id: $id) }', { id: canaryApiKey.id })
  expect(await newestChanges(acme, 'CANARY_KEY_DELETED')).toEqual([
    { field: 'label', before: 'in the backup', after: null },
  ])
})
