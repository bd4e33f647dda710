import { describe, expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { backgroundOf } from '../../../test/support/world/mail-world.ts'
import { type Call, codesOf, fieldOf, peopleAs } from '../../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../../test/support/world/world.ts'
import type { Database } from '../../db/database.ts'
import { DAY, HOUR } from '../../lib/clock.ts'
import { notifyExpiringKeys } from './notifications.ts'

interface NewEmail {
  to: string
  subject: string
  text: string
  state: string
}

const it = inOrganization(startWorld)
  .extend('runBackgroundJobs', ({ world }) => backgroundOf(world).runBackgroundJobs)
  /** By a key without an end, which outlives every session. */
  .extend('inAcme', async ({ world, acme }) => world.asKey((await acme.generateKey({ label: 'watch' })).secret).call)
  /** How many emails there are after the background jobs ran, this long before or after the expiration. */
  .extend('emailsAt', ({ world, runBackgroundJobs, inAcme }) => async (ms: number, ends: number): Promise<number> => {
    world.clock.advance(ends + ms - world.clock.now())
    await runBackgroundJobs()
    return (await emailsOf(inAcme)).length
  })

const keyEndingIn = (world: World, acme: TestOrganization, ms: number, label = 'ci') =>
  acme.generateKey({ label, expiresAt: new Date(world.clock.now() + ms).toISOString() })

const emailsOf = async (inAcme: Call, call = inAcme) =>
  fieldOf<{ data: NewEmail[] }>(await call('{ emails { data { to subject text state } } }')).data

const eventsOfEnds = async (inAcme: Call) =>
  fieldOf<{ data: { action: string; subject: string; actor: object }[] }>(
    await inAcme('{ auditEvents { data { action subject actor { kind name } } } }'),
  ).data.filter(({ action }) => action === 'API_KEY_EXPIRY_NOTIFIED' || action === 'API_KEY_REMOVED')

const warnings = async (inAcme: Call) =>
  fieldOf<{ daysLeft: number; apiKey: { label: string; expired: boolean } }[]>(
    await inAcme('{ expiringApiKeys { daysLeft apiKey { label expired } } }'),
  )

const is = (world: World, key: TestKey) => world.asKey(key.secret).call('{ viewer { role } }')

/** As `rotateApiKey` leaves it. */
const markReplaced = (world: World, key: TestKey) =>
  world.database.transaction((db) =>
    db.updateTable('apiKey').set({ replacedById: 'another' }).where('id', '=', key.id).execute(),
  )

describe('Admins are notified of the expiration of a key', () => {
  it('30, 7 and 1 days before, once each', async ({ world, acme, inAcme, emailsAt }) => {
    const ends = world.clock.now() + 150 * DAY
    await keyEndingIn(world, acme, 150 * DAY)
    const emails: number[] = []
    for (const days of [31, 30, 29, 8, 7, 2, 1, 0.5, 0, -1]) emails.push(await emailsAt(-days * DAY, ends))
    expect(emails).toEqual([0, 1, 1, 1, 2, 2, 3, 3, 3, 3])
    expect((await eventsOfEnds(inAcme)).map(({ action, subject, actor }) => ({ action, subject, actor }))).toEqual(
      Array(3).fill({
        action: 'API_KEY_EXPIRY_NOTIFIED',
        subject: 'ci',
        actor: { kind: 'SYSTEM', name: 'portal' },
      }),
    )
  })

  it('not a millisecond earlier than 30 days before', async ({ world, acme, emailsAt }) => {
    const ends = world.clock.now() + 150 * DAY
    await keyEndingIn(world, acme, 150 * DAY)
    expect(await emailsAt(-30 * DAY - 1, ends)).toBe(0)
    expect(await emailsAt(-30 * DAY, ends)).toBe(1)
  })

  it('by an email that names the key and the date, to every Admin and nobody else', async ({
    world,
    runBackgroundJobs,
    ada,
    acme,
    inAcme,
  }) => {
    const [bob, mia] = [await world.signUp('Bob'), await world.signUp('Mia')]
    await world.join(acme, bob, 'ADMIN')
    await world.join(acme, mia, 'MEMBER')
    await keyEndingIn(world, acme, 40 * DAY, 'nightly export')
    world.clock.advance(33 * DAY)
    await runBackgroundJobs()
    const emails = await emailsOf(inAcme)
    const when = new Date(world.clock.now() + 7 * DAY).toISOString().slice(0, 16).replace('T', ' ')
    expect(emails.map(({ to }) => to).sort()).toEqual([ada.email, bob.email].sort())
    expect(emails[0]).toMatchObject({
      subject: `API key nightly export of Acme expires on ${when} UTC`,
      text: expect.stringMatching(new RegExp(`^- nightly export \\(emp_\\w{6}…\\) expires on ${when} UTC$`, 'm')),
      state: 'STORED',
    })
  })

  it('in one email about several keys of an organization', async ({ world, runBackgroundJobs, acme, inAcme }) => {
    await keyEndingIn(world, acme, 40 * DAY, 'one')
    await keyEndingIn(world, acme, 41 * DAY, 'two')
    world.clock.advance(35 * DAY)
    await runBackgroundJobs()
    expect(await emailsOf(inAcme)).toMatchObject([
      { subject: '2 API keys of Acme expire soon', text: expect.stringMatching(/^- one .*\n- two /m) },
    ])
    expect((await eventsOfEnds(inAcme)).map(({ subject }) => subject).sort()).toEqual(['one', 'two'])
  })

  it('for a personal account, its person is notified', async ({ world, runBackgroundJobs, ada, inAcme }) => {
    await ada.call('mutation { setApiKeysEnabled(enabled: true) { id } }')
    const expiresAt = new Date(world.clock.now() + 40 * DAY).toISOString()
    const personal = { slug: ada.personalSlug }
    await world.generateKey(ada, personal, { label: 'mine', expiresAt })
    const { call } = world.asKey((await world.generateKey(ada, personal, { label: 'watch' })).secret)
    world.clock.advance(34 * DAY)
    await runBackgroundJobs()
    expect(await emailsOf(inAcme, call)).toMatchObject([{ to: ada.email }])
    expect(await emailsOf(inAcme)).toEqual([])
  })

  it('not at a time before the key was generated', async ({ world, acme, emailsAt }) => {
    const ends = world.clock.now() + 20 * DAY
    await keyEndingIn(world, acme, 12 * HOUR, 'short')
    await keyEndingIn(world, acme, 20 * DAY)
    const emails: number[] = []
    for (const days of [20, 19.51, 4.01, 4, 1]) emails.push(await emailsAt(-days * DAY, ends))
    expect(emails).toEqual([0, 0, 0, 1, 2])
  })

  it('a key of 30 days in its last 6, and not at once', async ({ world, acme, inAcme, emailsAt }) => {
    const ends = world.clock.now() + 30 * DAY
    await keyEndingIn(world, acme, 30 * DAY)
    expect(await warnings(inAcme)).toEqual([])
    const emails: number[] = []
    for (const days of [30, 7, 6.01, 6, 2, 1]) emails.push(await emailsAt(-days * DAY, ends))
    expect(emails).toEqual([0, 0, 0, 1, 1, 2])
    expect(await warnings(inAcme)).toMatchObject([{ daysLeft: 1 }])
  })

  it('once, by the latest notification, if several were missed', async ({ world, acme, emailsAt }) => {
    const ends = world.clock.now() + 40 * DAY
    await keyEndingIn(world, acme, 40 * DAY)
    expect([await emailsAt(-5 * DAY, ends), await emailsAt(-4 * DAY, ends)]).toEqual([1, 1])
    expect(await emailsAt(-DAY, ends)).toBe(2)
    const noted = await world.database.read
      .selectFrom('apiKeyExpiryNotification')
      .select('days')
      .orderBy('days')
      .execute()
    expect(noted.map(({ days }) => Number(days))).toEqual([1, 7, 30])
  })

  it('again, after a change of the expiration', async ({ world, runBackgroundJobs, acme, emailsAt }) => {
    const key = await keyEndingIn(world, acme, 40 * DAY)
    world.clock.advance(34 * DAY)
    await runBackgroundJobs()
    const later = world.clock.now() + 30 * DAY
    await world.database.transaction((db) =>
      db.updateTable('apiKey').set({ expiresAt: later }).where('id', '=', key.id).execute(),
    )
    expect([await emailsAt(-8 * DAY, later), await emailsAt(-7 * DAY, later)]).toEqual([2, 3])
  })

  it('unless it is replaced, revoked or does not expire', async ({ world, runBackgroundJobs, acme, inAcme }) => {
    const [replaced, revoked] = [
      await keyEndingIn(world, acme, 40 * DAY, 'old'),
      await keyEndingIn(world, acme, 40 * DAY, 'gone'),
    ]
    await markReplaced(world, replaced)
    await inAcme('mutation ($id: ID!) { revokeApiKey(id: $id) { ids } }', { id: revoked.id })
    world.clock.advance(35 * DAY)
    await runBackgroundJobs()
    expect([await emailsOf(inAcme), await warnings(inAcme)]).toEqual([[], []])
  })

  it('once, with several processes at the same time', async ({ world, runBackgroundJobs, acme, inAcme }) => {
    for (const label of ['a', 'b', 'c']) await keyEndingIn(world, acme, 40 * DAY, label)
    world.clock.advance(34 * DAY)
    await Promise.all(Array.from({ length: 8 }, () => runBackgroundJobs()))
    await runBackgroundJobs() // whoever found another at work has left it the rest
    expect(await emailsOf(inAcme)).toHaveLength(1)
    expect(await eventsOfEnds(inAcme)).toHaveLength(3)
  })

  it('once, even if one process looked before another one notified', async ({
    world,
    runBackgroundJobs,
    acme,
    inAcme,
  }) => {
    await keyEndingIn(world, acme, 40 * DAY)
    world.clock.advance(34 * DAY)
    const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late: Database = {
      ...world.database,
      async transaction(work, options) {
        arrived.resolve()
        await gate.promise
        return world.database.transaction(work, options)
      },
    }
    const announced = notifyExpiringKeys(late, world.clock.now(), world.url)
    await arrived.promise
    await runBackgroundJobs()
    gate.resolve()
    await announced
    expect([(await emailsOf(inAcme)).length, (await eventsOfEnds(inAcme)).length]).toEqual([1, 1])
  })
})

describe('an expired key', () => {
  it('is refused and listed as expired for 30 days, and then deleted', async ({ world, acme, inAcme, emailsAt }) => {
    const ends = world.clock.now() + 8 * DAY
    const key = await keyEndingIn(world, acme, 8 * DAY)
    const listed = async () =>
      fieldOf<{ data: { label: string }[] }>(await inAcme('{ apiKeys { data { label expired } } }')).data.filter(
        ({ label }) => label !== 'watch',
      )
    world.clock.advance(8 * DAY - 1)
    expect([(await is(world, key)).status, await listed()]).toEqual([200, [{ label: 'ci', expired: false }]])
    world.clock.advance(1)
    expect([codesOf(await is(world, key)), await listed()]).toEqual([
      ['API_KEY_EXPIRED'],
      [{ label: 'ci', expired: true }],
    ])

    await emailsAt(30 * DAY - 1, ends)
    expect([codesOf(await is(world, key)), await listed()]).toEqual([
      ['API_KEY_EXPIRED'],
      [{ label: 'ci', expired: true }],
    ])
    await emailsAt(30 * DAY, ends)
    expect([codesOf(await is(world, key)), await listed()]).toEqual([['API_KEY_INVALID'], []])
    expect((await eventsOfEnds(inAcme))[0]).toEqual({
      action: 'API_KEY_REMOVED',
      subject: 'ci',
      actor: { kind: 'SYSTEM', name: 'portal' },
    })
  })

  it('is deleted also if it was replaced, and the key that replaced it stays', async ({
    world,
    runBackgroundJobs,
    acme,
    inAcme,
  }) => {
    const [old, fresh] = [await keyEndingIn(world, acme, DAY, 'old'), await acme.generateKey({ label: 'fresh' })]
    await markReplaced(world, old)
    world.clock.advance(32 * DAY)
    await runBackgroundJobs()
    expect(await eventsOfEnds(inAcme)).toMatchObject([{ action: 'API_KEY_REMOVED', subject: 'old' }])
    expect((await is(world, fresh)).status).toBe(200)
  })
})

describe('expiringApiKeys', () => {
  it('lists the keys that expire within 30 days and a fifth of their lifetime, the soonest first, in days rounded up', async ({
    world,
    acme,
    inAcme,
  }) => {
    await keyEndingIn(world, acme, 150 * DAY, 'a month')
    await keyEndingIn(world, acme, 150 * DAY + 1, 'later')
    world.clock.advance(120 * DAY - 4 * HOUR)
    const generate = 'mutation ($input: GenerateApiKeyInput!) { generateApiKey(input: $input) { secret } }'
    for (const [label, ms] of [
      ['an hour', 5 * HOUR],
      ['new', 20 * DAY],
    ] as const) {
      const expiresAt = new Date(world.clock.now() + ms).toISOString()
      expect(codesOf(await inAcme(generate, { input: { label, expiresAt } }))).toEqual([])
    }
    world.clock.advance(4 * HOUR)
    expect(await warnings(inAcme)).toEqual([
      { daysLeft: 1, apiKey: { label: 'an hour', expired: false } },
      { daysLeft: 30, apiKey: { label: 'a month', expired: false } },
    ])
    world.clock.advance(HOUR)
    expect((await warnings(inAcme)).map(({ apiKey }) => apiKey.label)).toEqual(['a month', 'later'])
  })

  it('A3: lists nothing of another organization', async ({ world, ada, acme, inAcme }) => {
    await keyEndingIn(world, acme, HOUR)
    world.clock.advance(HOUR / 2 + HOUR / 3)
    expect(await warnings(inAcme)).toHaveLength(1)
    const other = await world.organization('Other', { admin: ada })
    expect(fieldOf(await other.call('{ expiringApiKeys { daysLeft } }'))).toEqual([])
  })
})

it('a former Admin gets no email', async ({ world, runBackgroundJobs, ada, acme, inAcme }) => {
  const bob = await world.signUp('Bob')
  await world.join(acme, bob, 'ADMIN')
  await keyEndingIn(world, acme, 40 * DAY)
  fieldOf(await peopleAs(inAcme).changeRole(bob.userId, 'MEMBER'))
  world.clock.advance(34 * DAY)
  await runBackgroundJobs()
  expect((await emailsOf(inAcme)).map(({ to }) => to)).toEqual([ada.email])
})
