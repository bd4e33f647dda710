import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf, peopleAs } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization } from '../../../test/support/world/world.ts'
import { mintSecret } from '../../secrets/secret.ts'

const it = inOrganization(startWorld)
  .extend('mallory', ({ world }) => world.signUp('Mallory'))
  .extend('elsewhere', ({ world, mallory }) => world.organization('Elsewhere', { admin: mallory }))

const REPORT = `mutation ($secret: String!, $url: String) { reportLeakedApiKey(secret: $secret, url: $url) {
  revoked apiKey { id label } canaryApiKey { label } descendantCount durable } }`
const FIND = 'query ($secret: String!) { apiKeyBySecret(secret: $secret) { id label } }'

const NOTHING = { revoked: false, apiKey: null, canaryApiKey: null, descendantCount: 0, durable: true }

const leaksOf = async (acme: TestOrganization) =>
  eventsOf(await peopleAs(acme.call).audit()).filter(({ action }) => action.endsWith('_LEAKED'))
const emailsOf = async (acme: TestOrganization) =>
  fieldOf<{ data: { subject: string; text: string }[] }>(await acme.call('{ emails { data { subject text } } }')).data
const generateCanary = async (acme: TestOrganization) =>
  fieldOf<{ secret: string }>(await acme.call('mutation { generateCanaryApiKey(label: "backup") { secret } }')).secret

describe('a report of a leaked key by a person', () => {
  it('revokes it, and names it to an Admin of its organization', async ({ world, acme, key }) => {
    const url = `https://example.com/paste?${key.secret}`
    expect(fieldOf(await acme.call(FIND, { secret: key.secret }))).toEqual({ id: key.id, label: 'ci' })
    expect(fieldOf(await acme.call(REPORT, { secret: ` ${key.secret}\n`.trim(), url }))).toEqual({
      ...NOTHING,
      revoked: true,
      apiKey: { id: key.id, label: 'ci' },
    })
    expect(await world.accepts(key.secret)).toBe(false)
    const details = `found: https://example.com/paste?[secret]; key ${key.id}`
    expect(await leaksOf(acme)).toMatchObject([{ action: 'API_KEY_LEAKED', details, actor: { name: 'Ada' } }])
    expect(await emailsOf(acme)).toMatchObject([{ subject: 'Leaked API key ci of Acme was revoked' }])
    expect([await world.storage.dump(), world.logged().join()].join()).not.toContain(key.secret)
  })

  it('says nothing about it to a Member', async ({ world, acme, bob, key }) => {
    expect(codesOf(await bob.call(FIND, { secret: key.secret }, acme.slug))).toEqual(['FORBIDDEN'])
    const answer = await bob.call(REPORT, { secret: key.secret }, acme.slug)
    expect(fieldOf(answer)).toEqual({ ...NOTHING, revoked: true })
    expect(await world.accepts(key.secret)).toBe(false)
    expect(await leaksOf(acme)).toMatchObject([{ details: `found; key ${key.id}`, actor: { name: 'Bob' } }])
  })

  it('revokes that of another organization, and names neither to the other', async ({
    world,
    acme,
    elsewhere,
    key,
  }) => {
    expect(fieldOf(await elsewhere.call(FIND, { secret: key.secret }))).toBeNull()
    expect(fieldOf(await elsewhere.call(REPORT, { secret: key.secret }))).toEqual({ ...NOTHING, revoked: true })
    expect(await world.accepts(key.secret)).toBe(false)
    expect(await leaksOf(elsewhere)).toEqual([])
    const [event] = await leaksOf(acme)
    expect(event).toMatchObject({ actor: { kind: 'SYSTEM', name: 'portal' } })
    expect(event?.details).toContain('; reported by a person outside of this organization')
    expect(JSON.stringify([event, await emailsOf(acme)])).not.toContain('Mallory')
  })

  it('says how many keys it has generated, which stay', async ({ world, acme, key }) => {
    const generate = 'mutation { generateApiKey(input: { label: "child" }) { secret } }'
    const { secret } = fieldOf<{ secret: string }>(await world.asKey(key.secret).call(generate))
    expect(fieldOf(await acme.call(REPORT, { secret: key.secret }))).toMatchObject({ descendantCount: 1 })
    expect(await world.accepts(secret)).toBe(true)
  })

  it('does nothing for an unknown secret, and nothing twice', async ({ acme, key }) => {
    expect(fieldOf(await acme.call(REPORT, { secret: mintSecret('emp_') }))).toEqual(NOTHING)
    expect(fieldOf(await acme.call(FIND, { secret: mintSecret('emp_') }))).toBeNull()
    await acme.call(REPORT, { secret: key.secret })
    expect(fieldOf(await acme.call(REPORT, { secret: key.secret }))).toEqual(NOTHING)
    expect([await leaksOf(acme), await emailsOf(acme)].map(({ length }) => length)).toEqual([1, 1])
  })

  it('shows a canary key to its Admins, and to nobody else', async ({ acme, bob, elsewhere }) => {
    const secret = await generateCanary(acme)
    const unknown = await elsewhere.call(REPORT, { secret: mintSecret('emp_') })
    expect(await elsewhere.call(REPORT, { secret }).then(({ data }) => data)).toEqual(unknown.data)
    expect(fieldOf(await bob.call(REPORT, { secret }, acme.slug))).toEqual(NOTHING)
    expect(fieldOf(await acme.call(FIND, { secret }))).toBeNull()
    expect(fieldOf(await acme.call(REPORT, { secret }))).toEqual({ ...NOTHING, canaryApiKey: { label: 'backup' } })
    expect(await leaksOf(acme)).toMatchObject([{ action: 'CANARY_KEY_LEAKED', subject: 'backup' }]) // once
    expect(await emailsOf(acme)).toMatchObject([{ subject: 'Canary key backup of Acme was found' }])
  })

  it('needs the whole secret', async ({ acme, key }) => {
    for (const secret of ['', 'x', key.secret.slice(0, -1), `${key.secret}x`, mintSecret('ems_'), key.id])
      for (const document of [REPORT, FIND])
        expect(await acme.call(document, { secret })).toMatchObject({
          errors: [{ code: 'BAD_USER_INPUT', field: 'secret' }],
        })
    const url = `https://${'x'.repeat(2000)}`
    expect(await acme.call(REPORT, { secret: key.secret, url })).toMatchObject({ errors: [{ field: 'url' }] })
  })

  it('is not for a key', async ({ world, acme, key }) => {
    const { secret } = await acme.generateKey()
    for (const document of [REPORT, FIND])
      expect(codesOf(await world.asKey(key.secret).call(document, { secret }))).toEqual(['FORBIDDEN'])
    expect(await world.accepts(secret)).toBe(true)
  })
})
