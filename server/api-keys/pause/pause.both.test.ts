import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { codesOf, eventsOf, fieldOf, peopleAs } from '../../../test/support/world/people.ts'
import { startWorld, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import { DAY, SECOND } from '../../lib/clock.ts'

const ASK = '{ viewer { role } }'
const PAUSE = 'paused pausedUntil pausedAt pausedBy { kind name }'

const it = inOrganization(startWorld)

const pause = (acme: TestOrganization, { id }: { id: string }, seconds?: number) =>
  acme.call(`mutation ($id: ID!, $seconds: Int) { pauseApiKey(id: $id, seconds: $seconds) { ${PAUSE} } }`, {
    id,
    seconds,
  })

const resume = (acme: TestOrganization, { id }: { id: string }) =>
  acme.call(`mutation ($id: ID!) { resumeApiKey(id: $id) { ${PAUSE} } }`, { id })

const answerTo = async (world: World, { secret }: { secret: string }) => {
  const { status, errors } = await world.asKey(secret).call(ASK)
  return [status, ...errors.map(({ code }) => code)].join(' ')
}

const REFUSED = '403 API_KEY_PAUSED'
const NOT_PAUSED = { paused: false, pausedUntil: null, pausedAt: null, pausedBy: null }

describe('C15: a paused key', () => {
  it('is refused until it is resumed, and shows since when and by whom', async ({ world, acme, key }) => {
    expect(fieldOf(await pause(acme, key))).toEqual({
      paused: true,
      pausedUntil: null,
      pausedAt: expect.any(String),
      pausedBy: { kind: 'USER', name: 'Ada' },
    })
    const { status, errors, headers } = await world.asKey(key.secret).call(ASK)
    expect([status, errors]).toMatchObject([
      403,
      [{ code: 'API_KEY_PAUSED', message: 'This API key is paused: it is accepted again when an Admin resumes it.' }],
    ])
    expect(headers.get('www-authenticate')).toBeNull()
    expect(fieldOf(await resume(acme, key))).toEqual(NOT_PAUSED)
    expect(await answerTo(world, key)).toBe('200')
    const events = eventsOf(await peopleAs(acme.call).audit()).slice(0, 2)
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ['API_KEY_RESUMED', `key ${key.id}`],
      ['API_KEY_PAUSED', `until it is resumed; key ${key.id}`],
    ])
  })

  it('is refused on every replica once the pause has answered, and accepted once it is resumed', async ({
    world,
    acme,
    key,
  }) => {
    const replica = await startWorld({ beside: world })
    const answers = async () => [await answerTo(world, key), await answerTo(replica, key)]
    for (let n = 0; n < 5; n++) {
      await pause(acme, key, 3600)
      expect(await answers()).toEqual([REFUSED, REFUSED])
      await resume(acme, key)
      expect(await answers()).toEqual(['200', '200'])
    }
    await replica.close()
  })

  it('cannot resume itself', async ({ world, acme, key }) => {
    await pause(acme, key)
    const answer = await world
      .asKey(key.secret)
      .call('mutation ($id: ID!) { resumeApiKey(id: $id) { paused } }', { id: key.id })
    expect([answer.status, codesOf(answer)]).toEqual([403, ['API_KEY_PAUSED']])
  })

  it('a key that pauses itself writes nothing after that in the same request', async ({ world, key }) => {
    const both = `mutation ($id: ID!) { pauseApiKey(id: $id) { paused } resumeApiKey(id: $id) { paused }
      createDevice(input: { name: "late" }) { id } }`
    const answer = await world.asKey(key.secret).call(both, { id: key.id })
    expect(codesOf(answer)).toEqual(['API_KEY_PAUSED', 'API_KEY_PAUSED'])
  })

  it('K3, K11: is paused and resumed also where API keys are disabled', async ({ acme, key }) => {
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    expect(codesOf(await pause(acme, key))).toEqual([])
    expect(codesOf(await resume(acme, key))).toEqual([])
  })

  it('counts against the maximum number of keys, and stays active', async ({ acme, key }) => {
    await acme.call('mutation { setApiKeyPolicy(input: { maxKeys: 1 }) { maxKeys } }')
    await pause(acme, key)
    const count = await acme.call('{ organization { activeApiKeyCount } }')
    expect(fieldOf(count)).toEqual({ activeApiKeyCount: 1 })
    expect(codesOf(await acme.call('mutation { generateApiKey { secret } }'))).toEqual(['LIMIT_EXCEEDED'])
  })

  it('is active wherever active keys are counted, and an expired key nowhere', async ({ world, acme, key }) => {
    await acme.generateKey({ label: 'soon over' })
    await world.database.transaction((db) =>
      db.updateTable('apiKey').set({ expiresAt: 1 }).where('label', '=', 'soon over').execute(),
    )
    await pause(acme, key)
    const counts = await acme.call(
      '{ organization { activeApiKeyCount } overview { apiKeys { active } } apiKeys(filter: { state: ACTIVE }) { totalCount } }',
    )
    expect(counts.data).toEqual({
      organization: { activeApiKeyCount: 1 },
      overview: { apiKeys: { active: 1 } },
      apiKeys: { totalCount: 1 },
    })
    await acme.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    const [switched] = eventsOf(await acme.call('{ auditEvents { data { action details } } }'))
    expect(switched).toEqual({ action: 'API_KEYS_SWITCHED_OFF', details: 'active keys: 1' })
  })

  it('gets the rules of a policy like every other', async ({ world, acme, key }) => {
    await pause(acme, key)
    await acme.call('mutation { setApiKeyPolicy(input: { allowKeyManagement: false }) { maxKeys } }')
    await resume(acme, key)
    const { errors } = await world.asKey(key.secret).call('mutation { generateApiKey { secret } }')
    expect(errors).toMatchObject([{ code: 'FORBIDDEN' }])
  })

  it('names the version of rules that a process must know, as long as it is paused', async ({ world, acme, key }) => {
    const version = () =>
      world.database.read.selectFrom('apiKey').select('rulesVersion').where('id', '=', key.id).executeTakeFirst()
    await pause(acme, key)
    expect(await version()).toEqual({ rulesVersion: 2 })
    await resume(acme, key)
    expect(await version()).toEqual({ rulesVersion: 1 })
  })

  it('C13: its invitations are not accepted meanwhile', async ({ world, acme, key }) => {
    const invite = 'mutation { inviteUser(input: { email: "guest@example.com" }) { link } }'
    const { link } = fieldOf<{ link: string }>(await world.asKey(key.secret).call(invite))
    const body = { token: link.split('#')[1], name: 'Guest', password: 'a long enough passphrase' }
    await pause(acme, key)
    expect((await world.post('/auth/accept-invitation', body)).status).not.toBe(200)
    await resume(acme, key)
    expect((await world.post('/auth/accept-invitation', body)).status).toBe(200)
  })
})

describe('C15: the end of a pause', () => {
  /** By no other clock than that of the database, which on PostgreSQL no test moves. */
  const endPause = ({ database }: World, { id }: { id: string }) =>
    database.transaction((db) =>
      db.updateTable('apiKey').set({ pausedUntil: database.now() }).where('id', '=', id).execute(),
    )

  it('is in the answer and in the error, and from then on the key is accepted by itself', async ({
    world,
    acme,
    key,
  }) => {
    const { pausedUntil } = fieldOf<{ pausedUntil: string }>(await pause(acme, key, 3600))
    const { errors } = await world.asKey(key.secret).call(ASK)
    expect(errors[0]?.message).toBe(
      `This API key is paused: it is accepted again from ${pausedUntil} on, or when an Admin resumes it.`,
    )
    await endPause(world, key)
    expect(await answerTo(world, key)).toBe('200')
    const shown = await acme.call(`query ($id: ID!) { apiKey(id: $id) { ${PAUSE} } }`, { id: key.id })
    expect(fieldOf(shown)).toEqual(NOT_PAUSED)
  })

  it('is moved by another pause, which counts from the first', async ({ acme, key }) => {
    const first = fieldOf<{ pausedAt: string }>(await pause(acme, key, 60))
    const second = fieldOf<{ pausedAt: string; pausedUntil: string | null }>(await pause(acme, key))
    expect(second).toMatchObject({ pausedAt: first.pausedAt, pausedUntil: null })
  })

  it.for([0, -1, 31_536_001, 2_147_483_647])(
    '%d seconds are refused, and nothing changes',
    async (seconds, { acme, key }) => {
      const { errors } = await pause(acme, key, seconds)
      expect(errors).toMatchObject([{ code: 'BAD_USER_INPUT', field: 'seconds' }])
      expect(errors[0]?.message).toBe(
        'seconds: 1 to 31536000 seconds; leave it out to pause the key until it is resumed.',
      )
      const shown = await acme.call(`query ($id: ID!) { apiKey(id: $id) { ${PAUSE} } }`, { id: key.id })
      expect(fieldOf(shown)).toEqual(NOT_PAUSED)
    },
  )
})

it('C15: shows who was refused since the key was paused, and not who was before', async ({ world, acme, key }) => {
  const served = await startWorld({ beside: world, env: { TRUST_PROXY: 'on' } })
  const call = (from: string, agent: string) =>
    served.post(
      '/graphql',
      { query: ASK },
      { headers: { 'api-secret': key.secret, 'x-forwarded-for': from, 'user-agent': agent } },
    )
  await pause(acme, key)
  expect((await call('192.0.2.1', 'earlier')).status).toBe(403)
  await resume(acme, key)
  expect((await call('192.0.2.2', 'accepted')).status).toBe(200)
  world.clock.advance(SECOND) // another pause, in the same hour
  await pause(acme, key, DAY / SECOND)
  for (let n = 0; n < 3; n++) await call('10.0.0.1', 'reporter/1.0')
  await call('10.0.0.2', 'reporter/1.0')
  await served.close() // writes what was counted
  const shown = await acme.call(
    'query ($id: ID!) { apiKey(id: $id) { refusedWhilePaused { calls lastAt addresses { value calls } otherAddressCalls userAgents { value calls } } } }',
    { id: key.id },
  )
  expect(fieldOf(shown)).toEqual({
    refusedWhilePaused: {
      calls: 4,
      lastAt: expect.any(String),
      addresses: [
        { value: '10.0.0.1', calls: 3 },
        { value: '10.0.0.2', calls: 1 },
      ],
      otherAddressCalls: 0,
      userAgents: [{ value: 'reporter/1.0', calls: 4 }],
    },
  })
})
