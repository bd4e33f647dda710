import { describe, expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { type Call, codesOf, eventsOf, invited, peopleAs, usersOf } from '../../test/support/world/people.ts'
import { type Person, startWorld, type TestOrganization } from '../../test/support/world/world.ts'
import { HOUR } from '../lib/clock.ts'

const it = inOrganization(startWorld)

const pendingIn = async (acme: TestOrganization) =>
  usersOf(await peopleAs(acme.call).list()).data.filter(({ invited }) => invited)

describe('inviting', () => {
  it('returns a link once, and lists the person as invited', async ({ world, acme }) => {
    const { user, link } = await invited(acme.call, { email: 'lin@example.com', name: 'Lin', role: 'ADMIN' })
    expect(link).toMatch(new RegExp(`^${world.url}/invitations#emi_[0-9A-Za-z]{49}$`))
    expect(user).toMatchObject({ name: 'Lin', email: 'lin@example.com', role: 'ADMIN', invited: true })
    expect(await pendingIn(acme)).toEqual([user])
  })

  it('uses BASE_URL for the link if it is set', async () => {
    const placed = await startWorld({ env: { BASE_URL: 'http://portal.example.com:8080' } })
    const grace = await placed.signUp('Grace')
    const club = await placed.organization('Club', { admin: grace })
    const call: Call = (query, variables) => grace.call(query, variables, club.slug)
    const { link } = await invited(call, { email: 'lin@example.com' })
    expect(link).toMatch(/^http:\/\/portal\.example\.com:8080\/invitations#emi_/)
    await placed.close()
  })

  it('otherwise uses the address that the portal listens on, whatever a request says', async () => {
    const proxied = await startWorld({ env: { TRUST_PROXY: 'on' } })
    const grace = await proxied.signUp('Grace')
    const club = await proxied.organization('Club', { admin: grace })
    const { secret } = await proxied.generateKey(grace, club)
    const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const query = 'mutation { inviteUser(input: { email: "lin@example.com" }) { link } }'
    const asPerson = { cookie: grace.cookie, headers: { ...forged, 'portal-organization': club.slug } }
    const asKey = { headers: { ...forged, 'api-secret': secret } }
    for (const [path, caller] of [['/portal/graphql', asPerson] as const, ['/graphql', asKey] as const]) {
      const { body } = await proxied.post(path, { query }, caller)
      const link = expect.stringMatching(`^${proxied.url}/invitations#emi_`)
      expect(body).toEqual({ data: { inviteUser: { link } } })
    }
    await proxied.close()
  })

  it('invites as a Member by default, listed by the address', async ({ acme }) => {
    const { user } = await invited(acme.call, { email: 'lin@example.com' })
    expect(user).toMatchObject({ name: 'lin@example.com', role: 'MEMBER' })
  })

  it('never reveals whether the address has an account', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    const known = (await invited(acme.call, { email: bob.email })).user
    const unknown = (await invited(acme.call, { email: 'nobody@example.com' })).user
    const shape = ({ email, id, ...rest }: typeof known) => ({ ...rest, name: rest.name === email })
    expect(shape(known)).toEqual(shape(unknown))
    expect(known.id).not.toBe(bob.userId)
    expect(JSON.stringify(await pendingIn(acme))).not.toContain('Bob')
  })

  it('stores only the hash of the link, and records the address and the role in the audit log', async ({
    world,
    acme,
  }) => {
    const { token } = await invited(acme.call, { email: 'lin@example.com' })
    const rows = await world.database.read
      .selectFrom('invitation')
      .selectAll()
      .where('organizationId', '=', acme.id)
      .execute()
    expect(rows[0]?.tokenHash).toHaveLength(32)
    expect(JSON.stringify(rows)).not.toContain(token)
    const events = eventsOf(await peopleAs(acme.call).audit())
    expect(events.filter(({ action }) => action === 'USER_INVITED')).toEqual([
      {
        action: 'USER_INVITED',
        subject: 'lin@example.com',
        details: 'as MEMBER',
        actor: { kind: 'USER', name: 'Ada' },
      },
    ])
    expect(JSON.stringify(events)).not.toContain(token)
  })

  it('an address again creates a new link for the same entry, with the new input', async ({ world, acme }) => {
    const { call } = world.asKey((await acme.generateKey()).secret)
    const first = await invited(call, { email: 'lin@example.com', name: 'Lin', role: 'ADMIN' })
    world.clock.advance(71 * HOUR)
    const second = await invited(call, { email: 'lin@example.com' })
    expect(second.token).not.toBe(first.token)
    expect(second.user).toMatchObject({ id: first.user.id, name: 'lin@example.com', role: 'MEMBER' })
    expect(usersOf(await peopleAs(call).list({ search: 'lin' })).data).toEqual([second.user])
    expect((await world.post('/auth/invitation', { token: first.token })).status).toBe(404)
    world.clock.advance(71 * HOUR)
    expect((await world.post('/auth/invitation', { token: second.token })).status).toBe(200)
    world.clock.advance(HOUR)
    const third = await invited(call, { email: 'lin@example.com' })
    expect(usersOf(await peopleAs(call).list({ search: 'lin' })).data).toEqual([third.user])
  })

  it('C13: an address again depends on the new inviter alone, not on who invited or raised it before', async ({
    world,
    acme,
    bob,
    key,
  }) => {
    const byBob: Call = (query, variables) => bob.call(query, variables, acme.slug)
    const byKey = world.asKey(key.secret).call
    const admin = peopleAs(acme.call)
    await admin.changeRole(bob.userId, 'ADMIN')
    const invitee = (name: string) => ({ email: `${name}@example.com`, role: 'ADMIN' })
    for (const [by, name] of [[byBob, 'of-bob'] as const, [byKey, 'of-key'] as const]) {
      await invited(by, invitee(name))
      const { user } = await invited(acme.call, { ...invitee(`raised-${name}`), role: 'MEMBER' })
      await peopleAs(by).changeRole(user.id, 'ADMIN')
    }
    const names = ['of-bob', 'of-key', 'raised-of-bob', 'raised-of-key']
    const again = await Promise.all(names.map((name) => invited(acme.call, invitee(name))))
    await admin.remove(bob.userId)
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
    const views = await Promise.all(again.map(({ token }) => world.post('/auth/invitation', { token })))
    expect(views.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('the same address into two organizations are two invitations', async ({ world, ada, acme }) => {
    const other = await world.organization('Other', { admin: ada })
    const one = await invited(acme.call, { email: 'lin@example.com' })
    const two = await invited((query, variables) => other.call(query, variables), {
      email: 'lin@example.com',
    })
    for (const { token } of [one, two]) expect((await world.post('/auth/invitation', { token })).status).toBe(200)
  })

  it('concurrently creates one invitation, whose link works', async ({ world, acme }) => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => invited(acme.call, { email: 'lin@example.com' })))
    expect(await pendingIn(acme)).toHaveLength(1)
    const views = await Promise.all(answers.map(({ token }) => world.post('/auth/invitation', { token })))
    expect(views.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it('a member is a conflict', async ({ world, acme }) => {
    const bob = await world.signUp('Bob')
    await world.join(acme, bob, 'MEMBER')
    const answer = await peopleAs(acme.call).invite({ email: bob.email })
    expect(answer.errors).toMatchObject([
      { code: 'CONFLICT', field: 'email', message: 'This person is a member already.' },
    ])
  })

  it('into a personal account is forbidden', async ({ ada }) => {
    const answer = await peopleAs(ada.call).invite({ email: 'lin@example.com' })
    expect(answer.errors).toMatchObject([{ code: 'FORBIDDEN', message: 'A personal account has no other members.' }])
  })

  it('names the invalid field', async ({ acme }) => {
    for (const [input, field] of [
      [{ email: 'nobody' }, 'email'],
      [{ email: `${'x'.repeat(250)}@example.com` }, 'email'],
      [{ email: 'a@example.com', name: '' }, 'name'],
      [{ email: 'a@example.com', name: 'x'.repeat(200) }, 'name'],
      [{ email: 'a@example.com', name: 'a\u0007b' }, 'name'],
    ] as const) {
      expect((await peopleAs(acme.call).invite(input)).errors).toMatchObject([{ code: 'BAD_USER_INPUT', field }])
    }
  })

  it('K6: a key may invite', async ({ world, acme }) => {
    const key = world.asKey((await acme.generateKey({ label: 'ci' })).secret)
    const { user } = await invited(key.call, { email: 'lin@example.com' })
    expect(await pendingIn(acme)).toEqual([user])
    const [event] = eventsOf(await peopleAs(acme.call).audit()).filter(({ action }) => action === 'USER_INVITED')
    expect(event?.actor).toEqual({ kind: 'API_KEY', name: 'ci' })
  })

  it('is refused to everybody else', async ({ world, acme }) => {
    const [bob, eve, sam] = [await world.signUp('Bob'), await world.signUp('Eve'), await world.signUp('Sam')]
    await world.join(acme, bob, 'MEMBER')
    await world.support(sam)
    const as =
      (person: Person): Call =>
      (query, variables) =>
        person.call(query, variables, acme.slug)
    const tried = async (call: Call) => codesOf(await peopleAs(call).invite({ email: 'lin@example.com' }))
    expect(await tried(as(bob))).toEqual(['FORBIDDEN'])
    expect(await tried(as(eve))).toEqual(['NOT_FOUND'])
    expect(await tried(as(sam))).toEqual(['NOT_FOUND'])
    expect(await tried(world.nobody().call)).toEqual(['UNAUTHENTICATED'])
    const key = await acme.generateKey()
    await acme.call('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: key.id })
    expect(await tried(world.asKey(key.secret).call)).toEqual(['API_KEY_INVALID'])
    expect(await pendingIn(acme)).toEqual([])
  })
})

it('C13: an invitation works only while the key that made it, or the one that raised it, is accepted', async ({
  world,
  acme,
  key,
}) => {
  const soon = new Date(world.database.now() + HOUR).toISOString()
  const brief = await acme.generateKey({ expiresAt: soon })
  const [byKey, byBrief] = [world.asKey(key.secret).call, world.asKey(brief.secret).call]
  const invite = async (name: string, by: Call, raisedBy?: Call) => {
    const { token, user } = await invited(by, { email: `${name}@example.com` })
    if (raisedBy) await peopleAs(raisedBy).changeRole(user.id, 'ADMIN')
    return token
  }
  const tokens = [
    await invite('made', byKey),
    await invite('raised', acme.call, byKey),
    await invite('made-and-raised', byKey, byKey),
    await invite('made-by-a-brief-one', byBrief),
    await invite('raised-by-a-brief-one', acme.call, byBrief),
  ]
  const statuses = async () => {
    const views = await Promise.all(tokens.map((token) => world.post('/auth/invitation', { token })))
    return views.map(({ status }) => status)
  }
  expect(await statuses()).toEqual([200, 200, 200, 200, 200])
  await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id) { id } }', { id: key.id })
  expect(await statuses()).toEqual([404, 404, 404, 200, 200])
  await acme.call('mutation ($id: ID!) { resumeApiKey(id: $id) { id } }', { id: key.id })
  await world.database.transaction((db) =>
    db.updateTable('apiKey').set({ expiresAt: world.clock.now() }).where('id', '=', brief.id).execute(),
  )
  expect(await statuses()).toEqual([200, 200, 200, 404, 404])
  expect((await pendingIn(acme)).map(({ email }) => email).sort()).toEqual([
    'made-and-raised@example.com',
    'made@example.com',
    'raised@example.com',
  ])
})
