import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { mintSecret } from '../../secrets/secret.ts'

const it = inOrganization(() => startWorld({ tuning: { canaryCheckMs: 1 } }))

const GENERATE = 'mutation { generateCanaryApiKey(label: "in the backup") { secret canaryApiKey { id } } }'
const LISTS = `query ($id: ID!) {
  auditEvents(first: 100) { data { action } totalCount }
  emails { data { subject } totalCount }
  overview { auditEvents { action } }
  apiKeyChanges(id: $id) { data { action } totalCount } }`

/** A canary key that a key has generated, and that was used. */
async function usedCanary(world: World, acme: TestOrganization) {
  const maker = await acme.generateKey()
  const { secret } = fieldOf<{ secret: string }>(await world.asKey(maker.secret).call(GENERATE))
  await world.asKey(secret).call('{ viewer { role } }')
  const calls = async () => fieldOf<{ calls: number }[]>(await acme.call('{ canaryApiKeys { calls } }'))
  await expect.poll(calls).toEqual([{ calls: 1 }])
  return { maker }
}

describe('a key that only reads does not learn which secrets are canaries', () => {
  it('from the audit log, the emails, the overview or the changes of a key', async ({ world, acme }) => {
    const { maker } = await usedCanary(world, acme)
    const reader = await acme.generateKey({ access: 'READ_ONLY' })
    const { data, errors } = await world.asKey(reader.secret).call(LISTS, { id: maker.id })
    expect(errors).toEqual([])
    expect(JSON.stringify(data)).not.toMatch(/canary/i)
    expect(data).toMatchObject({ emails: { totalCount: 0 }, apiKeyChanges: { data: [], totalCount: 0 } })
    const { auditEvents } = data as { auditEvents: { data: unknown[]; totalCount: number } }
    expect(auditEvents.data.length).toBe(auditEvents.totalCount)
    const byAction = '{ auditEvents(filter: { action: CANARY_KEY_USED }) { totalCount data { subject } } }'
    expect(fieldOf(await world.asKey(reader.secret).call(byAction))).toEqual({ totalCount: 0, data: [] })
  })

  it('nor does one that may not manage keys, while others see all of it', async ({ world, acme }) => {
    const { maker } = await usedCanary(world, acme)
    const person = JSON.stringify((await acme.call(LISTS, { id: maker.id })).data)
    const key = JSON.stringify((await world.asKey(maker.secret).call(LISTS, { id: maker.id })).data)
    expect(key).toBe(person)
    expect(person.match(/CANARY_KEY_USED/g)).toHaveLength(2)
    expect(person.match(/CANARY_KEY_GENERATED/g)).toHaveLength(3)
    expect(person).toContain('Canary key in the backup of Acme was used')
    const set = 'mutation { setApiKeyPolicy(input: { allowKeyManagement: false }) { maxKeys } }'
    expect(codesOf(await acme.call(set))).toEqual([])
    const other = await acme.generateKey()
    const { data } = await world.asKey(other.secret).call(LISTS, { id: maker.id })
    expect(JSON.stringify(data)).not.toMatch(/canary/i)
  })
})

describe('the secret of a canary key in another header', () => {
  const HEADERS: [string, (secret: string) => Record<string, string>][] = [
    ['Authorization: Bearer', (secret) => ({ authorization: `Bearer ${secret}` })],
    ['Authorization', (secret) => ({ authorization: secret })],
    ['x-api-key', (secret) => ({ 'x-api-key': secret })],
  ]

  it.for(HEADERS)('%s raises the alarm, and the answer is the same', async ([_name, headersOf], { world, acme }) => {
    const { secret } = fieldOf<{ secret: string }>(await acme.call(GENERATE))
    const call = async (value: string) => {
      const { status, body } = await world.post(
        '/graphql',
        { query: '{ viewer { role } }' },
        { headers: headersOf(value) },
      )
      return [status, JSON.stringify(body).replace(/"requestId":"[^"]+"/, '')]
    }
    const answer = await call(secret)
    expect(answer).toMatchObject([401, expect.stringContaining('Send the API key in the api-secret header')])
    for (const other of [mintSecret('emp_'), 'emp_nonsense', 'dXNlcjpwYXNz']) expect(await call(other)).toEqual(answer)
    const calls = async () => fieldOf<{ calls: number }[]>(await acme.call('{ canaryApiKeys { calls } }'))
    await expect.poll(calls).toEqual([{ calls: 1 }])
  })

  it('with something around it too', async ({ world, acme }) => {
    const { secret } = fieldOf<{ secret: string }>(await acme.call(GENERATE))
    for (const given of [`Bearer ${secret}`, `"${secret}"`]) await world.asKey(given).call('{ viewer { role } }')
    const calls = async () => fieldOf<{ calls: number }[]>(await acme.call('{ canaryApiKeys { calls } }'))
    await expect.poll(calls).toEqual([{ calls: 2 }])
  })
})
