import { describe, expect } from 'vitest'
import { countRows } from '../../server/db/count.ts'
import { AUDIT, auditLines, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { call } from '../../test/support/world/http.ts'
import type { Person, TestOrganization, World } from '../../test/support/world/world.ts'

const PASSWORD = 'typed by nobody else'

const it = inWorld(startWithCommandLine)
  .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend('portal', { scope: 'file' }, ({ world }) => world.portal)

describe('people', () => {
  it('user create creates a person who signs in with the first line of stdin', async ({ world, portal }) => {
    const made = await portal.answerOf(
      ['user', 'create', 'Grace@Example.com', '--name', 'Grace'],
      `${PASSWORD}\r\nignored\n`,
    )
    expect(made).toEqual({
      id: expect.any(String),
      email: 'grace@example.com',
      name: 'Grace',
      personalAccount: 'grace',
      organization: null,
      role: null,
    })
    expect(await signIn(world, 'grace@example.com', PASSWORD)).toMatchObject({ status: 200 })
  })

  it('C14: user create creates a person with a verified address', async ({ world, portal }) => {
    await portal.answerOf(['user', 'create', 'ivan@example.com'], PASSWORD)
    const { cookie = '' } = await signIn(world, 'ivan@example.com', PASSWORD)
    const viewer = await asSession(world, cookie, 'ivan')('{ viewer { emailVerified } }')
    expect(viewer.data).toEqual({ viewer: { emailVerified: true } })
  })

  it('C9: user create adds the person to an organization, and its Admins see it in the audit log', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const args = ['user', 'create', 'heidi@example.com', '--org', acme.slug, '--role', 'admin']
    expect(await portal.answerOf(args, PASSWORD)).toMatchObject({
      name: 'heidi',
      organization: acme.slug,
      role: 'ADMIN',
    })
    expect(await auditOf(ada, acme)).toContain('USER_JOINED heidi as ADMIN by SYSTEM')
    const { cookie = '' } = await signIn(world, 'heidi@example.com', PASSWORD)
    const viewer = await asSession(world, cookie, acme.slug)('{ viewer { role } }')
    expect(viewer.data).toEqual({ viewer: { role: 'ADMIN' } })
  })

  it.for<[string, number, string, (ada: Person) => string[], string]>([
    ['a taken address', 1, 'CONFLICT', (ada) => [ada.email], PASSWORD],
    ['an unknown organization', 1, 'NOT_FOUND', () => ['a@example.com', '--org', 'nowhere'], PASSWORD],
    ['a personal account', 1, 'FORBIDDEN', (ada) => ['a@example.com', '--org', ada.personalSlug], PASSWORD],
    ['no password', 2, 'BAD_USER_INPUT', () => ['a@example.com'], ''],
    ['a short password', 2, 'BAD_USER_INPUT', () => ['a@example.com'], 'short\n'],
    ['no address', 2, 'BAD_USER_INPUT', () => ['somebody'], PASSWORD],
  ])('user create is refused with %s', async ([_words, code, message, args, stdin], { world, portal, ada }) => {
    const before = await countPeople(world)
    expect(await portal.refusalOf(['user', 'create', ...args(ada)], stdin)).toMatchObject({
      code,
      error: { code: message },
    })
    expect(await countPeople(world)).toBe(before)
  })

  it('user invite prints a link that the running server accepts once', async ({ world, portal, ada, acme }) => {
    const args = ['user', 'invite', 'Ivan@example.com', '--org', acme.slug, '--role', 'ADMIN', '--name', 'Ivan']
    const invited = await portal.answerOf<{ link: string }>(args)
    expect(invited).toEqual({
      email: 'ivan@example.com',
      role: 'ADMIN',
      organization: acme.slug,
      link: expect.stringMatching(`^${world.url}/invitations#emi_\\w{49}$`),
    })
    expect(await auditOf(ada, acme)).toContain('USER_INVITED ivan@example.com as ADMIN by SYSTEM')
    const accept = () => world.post('/auth/accept-invitation', { token: tokenIn(invited.link), password: PASSWORD })
    expect(await accept()).toMatchObject({ status: 200, body: { organization: { slug: acme.slug } } })
    expect(await accept()).toMatchObject({ status: 404 })
  })

  it('user invite refuses a member, and a personal account', async ({ portal, ada, acme }) => {
    const invite = (org: string) => portal.refusalOf(['user', 'invite', ada.email, '--org', org])
    expect(await invite(acme.slug)).toMatchObject({ code: 1, error: { code: 'CONFLICT' } })
    expect(await invite(ada.personalSlug)).toMatchObject({ code: 1, error: { code: 'FORBIDDEN' } })
  })

  it('user reset prints a link that sets a new password once, and records it in the audit log', async ({
    world,
    portal,
  }) => {
    const lost = await world.signUp('Lost')
    const { email, link } = await portal.answerOf<{ email: string; link: string }>(['user', 'reset', lost.email])
    expect([email, link]).toEqual([lost.email, expect.stringMatching(`^${world.url}/reset-password#emr_\\w{49}$`)])
    const reset = () => world.post('/auth/reset-password', { token: tokenIn(link), password: PASSWORD })
    expect(await reset()).toMatchObject({ status: 200 })
    expect(await reset()).toMatchObject({ status: 404 })
    const { cookie = '' } = await signIn(world, lost.email, PASSWORD)
    const events = auditLines(await asSession(world, cookie, lost.personalSlug)(AUDIT))
    expect(events).toContain('USER_RESET_LINK_CREATED Lost by SYSTEM')
  })

  it('support grant and support revoke take effect with the next request', async ({ world, portal }) => {
    const sam = await world.signUp('Sam')
    const mayListAll = async () => (await sam.call('{ supportOrganizations { totalCount } }')).errors.length === 0
    expect(await mayListAll()).toBe(false)
    expect(await portal.answerOf(['support', 'grant', sam.email])).toEqual({ email: sam.email, support: true })
    expect(await mayListAll()).toBe(true)
    expect(await portal.answerOf(['support', 'revoke', sam.email])).toEqual({ email: sam.email, support: false })
    expect(await mayListAll()).toBe(false)
  })

  it.for(['user reset', 'support grant', 'org create X --admin'])(
    '%s refuses an address without an account',
    async (words, { portal }) => {
      const refused = await portal.refusalOf([...words.split(' '), 'nobody@example.com'])
      expect(refused).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
    },
  )
})

describe('organizations', () => {
  it('C5, K3, C9: a new organization has the feature off, and the command line cannot generate a key either', async ({
    portal,
    ada,
  }) => {
    const made = await portal.answerOf<{ slug: string }>(['org', 'create', 'Quiet & Co', '--admin', ada.email])
    const { slug } = made
    expect(made).toMatchObject({ slug: 'quiet-co', name: 'Quiet & Co', apiKeysEnabled: false, admin: ada.email })
    const generate = ['key', 'generate', '--org', slug]
    expect(await portal.refusalOf(generate)).toMatchObject({ code: 1, error: { code: 'FEATURE_DISABLED' } })
    expect(await portal.run(generate)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^.*switched off.*\n$/),
    })
    expect(await portal.answerOf(['key', 'list', '--org', slug])).toEqual([])
    expect(auditLines(await ada.call(AUDIT, {}, slug))).toEqual([
      'USER_JOINED Ada as ADMIN by SYSTEM',
      'ORGANIZATION_CREATED Quiet & Co by SYSTEM',
    ])
  })

  it('org list shows every organization and personal account', async ({ portal, ada, acme }) => {
    const listed = await portal.answerOf<{ slug: string }[]>(['org', 'list'])
    expect(listed.find(({ slug }) => slug === acme.slug)).toMatchObject({
      id: acme.id,
      name: 'Acme Edge',
      kind: 'ORGANIZATION',
      apiKeysEnabled: true,
      members: expect.any(Number),
      activeKeys: expect.any(Number),
      createdAt: expect.stringMatching(/^20.*Z$/),
    })
    expect(listed.find(({ slug }) => slug === ada.personalSlug)).toMatchObject({ kind: 'PERSONAL', members: 1 })
    const { stdout } = await portal.run(['org', 'list'])
    const [heading = '', ...rows] = stdout.trimEnd().split('\n')
    expect(rows).toHaveLength(listed.length)
    expect(new Set(rows.map((row) => row.search(/organization|personal/)))).toEqual(new Set([heading.indexOf('KIND')]))
  })

  it('C1: org api-keys off keeps active keys and prints their number; it revokes them on request', async ({
    world,
    portal,
    ada,
  }) => {
    const beta = await world.organization('Beta', { admin: ada, apiKeys: false })
    const switched = (state: string, ...more: string[]) =>
      portal.answerOf(['org', 'api-keys', state, beta.slug, ...more])
    expect(await switched('on')).toEqual({
      slug: 'beta',
      name: 'Beta',
      apiKeysEnabled: true,
      activeKeys: 0,
      durable: true,
    })
    const { secret } = await beta.generateKey()
    const { stdout } = await portal.run(['org', 'api-keys', 'off', beta.slug])
    expect(stdout).toContain('1 active key stays accepted')
    expect(await statusWith(world, secret)).toBe(200)
    expect(await switched('off', '--revoke-active-keys')).toMatchObject({ apiKeysEnabled: false, activeKeys: 0 })
    expect(await statusWith(world, secret)).toBe(401)
    expect(auditLines(await beta.call(AUDIT))).toEqual(
      expect.arrayContaining(['API_KEYS_SWITCHED_OFF Beta active keys: 1 by SYSTEM']),
    )
  })
})

const auditOf = async (ada: Person, { slug }: TestOrganization) => auditLines(await ada.call(AUDIT, {}, slug))

const tokenIn = (link: string) => link.split('#')[1]

const signIn = (world: World, email: string, password: string) => world.post('/auth/sign-in', { email, password })

const asSession = (world: World, cookie: string, slug: string) => (query: string) =>
  call(`${world.url}/portal/graphql`, { cookie, 'portal-organization': slug }, query)

const statusWith = async (world: World, secret: string) =>
  (await world.asKey(secret).call('{ viewer { role } }')).status

const countPeople = (world: World) => countRows(world.database.read.selectFrom('user'))
