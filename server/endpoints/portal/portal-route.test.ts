import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { type Person, startWorld, type World } from '../../../test/support/world/world.ts'
import { HOUR } from '../../lib/clock.ts'

const it = inWorld(startWorld).extend('members', { auto: true }, ({ bob }) => [bob])

const WHERE = '{ viewer { role organization { slug kind } organizations { slug } user { name } apiKey { id } } }'

async function send(
  world: World,
  ada: Person,
  headers: Record<string, string>,
  { method = 'POST', query = WHERE } = {},
) {
  const response = await fetch(`${world.url}/portal/graphql`, {
    method,
    headers: { 'content-type': 'application/json', cookie: ada.cookie, ...headers },
    ...(method !== 'GET' && { body: JSON.stringify({ query }) }),
  })
  const body = (await response.json()) as { data?: unknown; errors?: { extensions: { code: string } }[] }
  return {
    status: response.status,
    data: body.data,
    code: body.errors?.[0]?.extensions.code,
    headers: response.headers,
  }
}

it('selects the organization by portal-organization, and the personal account without it', async ({
  world,
  ada,
  bob,
  acme,
}) => {
  const personal = { slug: ada.personalSlug, kind: 'PERSONAL' }
  expect((await ada.call(WHERE)).data).toEqual({
    viewer: {
      role: 'ADMIN',
      organization: personal,
      organizations: [{ slug: ada.personalSlug }, { slug: acme.slug }],
      user: { name: 'Ada' },
      apiKey: null,
    },
  })
  expect((await send(world, ada, { 'portal-organization': '' })).data).toMatchObject({
    viewer: { organization: personal },
  })
  expect((await bob.call(WHERE, {}, acme.slug)).data).toMatchObject({
    viewer: { role: 'MEMBER', organization: { slug: acme.slug, kind: 'ORGANIZATION' } },
  })
})

it('gives the same answer for an organization of others as for one that does not exist', async ({ ada, bob }) => {
  const [foreign, never] = [
    await bob.call(WHERE, {}, ada.personalSlug),
    await bob.call(WHERE, {}, 'no-such-organization'),
  ]
  expect(foreign.errors.map(({ message, code }) => ({ message, code }))).toEqual(
    never.errors.map(({ message, code }) => ({ message, code })),
  )
  expect([foreign.status, foreign.errors[0]?.code]).toEqual([never.status, 'NOT_FOUND'])
})

it('refuses requests from other sites, by Sec-Fetch-Site and by Origin', async ({ world, ada }) => {
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    expect(
      [(await send(world, ada, headers)).status, (await send(world, ada, headers)).code],
      JSON.stringify(headers),
    ).toEqual([403, 'FORBIDDEN'])
  }
  expect((await send(world, ada, { 'sec-fetch-site': 'same-origin', origin: world.url })).status).toBe(200)
})

it('accepts only POST with JSON', async ({ world, ada }) => {
  expect((await send(world, ada, {}, { method: 'GET' })).status).toBe(405)
  expect((await send(world, ada, { 'content-type': 'text/plain' })).status).toBe(415)
})

it('refuses a key in place of a session, and an invalid cookie', async ({ world, ada, acme }) => {
  const key = await acme.generateKey()
  for (const cookie of ['', `portal-session=${key.secret}`, 'portal-session=garbage', `portal-session=${ada.cookie}`]) {
    expect((await send(world, ada, { cookie, 'api-secret': key.secret })).code, cookie).toBe('UNAUTHENTICATED')
  }
})

it('a person who is demoted or removed loses their rights with the next request', async ({ world, acme }) => {
  const eve = await world.signUp('Eve')
  await world.join(acme, eve, 'ADMIN')
  const keys = () => eve.call('{ apiKeys { data { id } } }', {}, acme.slug)
  expect((await keys()).errors).toEqual([])

  await acme.call('mutation ($id: ID!) { changeUserRole(userId: $id, role: MEMBER) { id } }', { id: eve.userId })
  expect((await keys()).errors).toMatchObject([{ code: 'FORBIDDEN' }])
  await acme.call('mutation ($id: ID!) { removeUser(userId: $id) }', { id: eve.userId })
  expect((await keys()).errors).toMatchObject([{ code: 'NOT_FOUND' }])
})

it('a session expires 12 hours after it was last used', async ({ world }) => {
  const zoe = await world.signUp('Zoe')
  world.clock.advance(11 * HOUR)
  expect((await zoe.call(WHERE)).status).toBe(200)
  world.clock.advance(13 * HOUR)
  expect((await zoe.call(WHERE)).status).toBe(401)
})
