import { describe, expect } from 'vitest'
import { countRows } from '../../server/db/count.ts'
import { AUDIT, auditLines, type CommandLine, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { invited } from '../../test/support/world/people.ts'
import { PASSWORD, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'

interface ListedKey {
  id: string
  label: string
  lastUsedIp: string | null
}

const it = inWorld(startWithCommandLine)
  .extend('acme', { scope: 'file' }, ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend('portal', { scope: 'file' }, ({ world }) => world.portal)

const UNRESTRICTED = {
  access: 'ADMIN',
  deviceId: null,
  allowedNetworks: [],
  notBefore: null,
  requestsPerSecond: null,
  requestsPerDay: null,
  paused: false,
  pausedUntil: null,
  pausedAt: null,
  pausedBy: null,
}

describe('key generate', () => {
  it('K1, K4, C9: generates a key that the running server accepts at once, and that Admins see as created by SYSTEM', async ({
    world,
    portal,
    acme,
  }) => {
    const made = await generate(portal, acme, '--label', 'nightly')
    expect(made).toEqual({
      id: expect.any(String),
      label: 'nightly',
      secret: expect.stringMatching(/^emp_[0-9A-Za-z]{49}$/),
      organization: acme.slug,
      ...UNRESTRICTED,
      heldSince: null,
    })
    const viewer = await world.asKey(made.secret).call('{ viewer { role organization { slug } } }')
    expect(viewer).toMatchObject({
      status: 200,
      data: { viewer: { role: 'ADMIN', organization: { slug: acme.slug } } },
    })
    const shown = await acme.call('query ($id: ID!) { apiKey(id: $id) { label createdBy { kind name } expiresAt } }', {
      id: made.id,
    })
    expect(shown.data).toEqual({
      apiKey: { label: 'nightly', createdBy: { kind: 'SYSTEM', name: 'command line' }, expiresAt: null },
    })
    expect(await audit(acme)).toContain(`API_KEY_GENERATED nightly key ${made.id} by SYSTEM`)
  })

  it('K4, C8: prints the secret, and says that it is shown only once', async ({ world, portal, acme }) => {
    const { code, stdout } = await portal.run(['key', 'generate', '--org', acme.slug, '--expires', '2099-01-31'])
    expect(code).toBe(0)
    const secret = /^ {2}secret {3}(emp_\w{49})$/m.exec(stdout)?.[1] ?? ''
    expect(await isAccepted(world, secret)).toBe(true)
    expect(stdout).toMatch(/^ {2}expires {2}2099-01-31 00:00 UTC$/m)
    expect(stdout).toContain('The secret is shown only now.')
    const { stdout: list } = await portal.run(['key', 'list', '--org', acme.slug])
    expect(list).not.toContain(secret)
    expect(list).toContain(secret.slice(0, 10))
  })

  it.for<[string, number, string, string[]]>([
    ['an unknown organization', 1, 'NOT_FOUND', ['--org', 'nowhere']],
    ['an end date in the past', 2, 'BAD_USER_INPUT', ['--org', 'acme-edge', '--expires', '2020-01-31']],
    ['an empty label', 2, 'BAD_USER_INPUT', ['--org', 'acme-edge', '--label', '']],
  ])('is refused with %s', async ([_words, code, message, args], { world, portal }) => {
    const before = await countKeys(world)
    expect(await portal.refusalOf(['key', 'generate', ...args])).toMatchObject({ code, error: { code: message } })
    expect(await countKeys(world)).toBe(before)
  })
})

describe('key list', () => {
  it('K11, K13: shows who created each key and its last use, the newest first, also with the feature off', async ({
    world,
    portal,
    ada,
  }) => {
    const listed = await world.organization('Listed', { admin: ada })
    const [first, second] = [await listed.generateKey({ label: 'first' }), await keyOf(listed, 'second')]
    await isAccepted(world, first.secret) // the first use is written down at once
    await listed.call('mutation { setApiKeysEnabled(enabled: false) { id } }')
    const never = { lastUsedAt: null, lastUsedIp: null, lastUsedUserAgent: null, lastUsedOperation: null }
    const used = {
      lastUsedAt: expect.stringMatching(/^20.*Z$/),
      lastUsedIp: '127.0.0.1',
      lastUsedUserAgent: 'node',
      lastUsedOperation: expect.toSatisfy((operation) => operation === null || operation === 'devices'), // a little later
    }
    const shown = await keysOf(portal, listed)
    expect(shown).toMatchObject(
      [
        { id: second.id, label: 'second', prefix: second.secret.slice(0, 10), ...never },
        { id: first.id, label: 'first', prefix: first.secret.slice(0, 10), ...used },
      ].map((key) => ({
        ...key,
        createdAt: expect.stringMatching(/^20.*Z$/),
        createdBy: { kind: 'USER', id: ada.userId, name: 'Ada' },
        expiresAt: null,
        expired: false,
        replaces: null,
        replacedBy: null,
        ...UNRESTRICTED,
        heldSince: null,
      })),
    )
    expect(JSON.stringify(shown)).not.toMatch(/emp_\w{11}/)
    const { stdout } = await portal.run(['key', 'list', '--org', listed.slug])
    const [heading = '', ...rows] = stdout.trimEnd().split('\n')
    expect(rows.map((row) => row.slice(heading.indexOf('FROM')).split(/ {2,}/))).toEqual([
      ['-', 'never'],
      ['127.0.0.1', 'never'],
    ])
  })
})

describe('key revoke', () => {
  it.for(['', 'n\n', 'yesterday\n'])(
    'K8: with the answer %j nothing is revoked',
    async (answer, { world, portal, acme }) => {
      const key = await acme.generateKey()
      const { code, stdout, stderr } = await portal.run(['key', 'revoke', key.id], answer)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/\nNothing was revoked: answer yes, or give --yes\.\n$/)
      expect(await isAccepted(world, key.secret)).toBe(true)
      expect(await audit(acme)).not.toContain(revoked(key))
    },
  )

  it('K8: the question names the label, the organization and the last use, and says that a revoke is permanent and immediate', async ({
    world,
    portal,
    acme,
  }) => {
    const key = await acme.generateKey({ label: 'asked about' })
    await isAccepted(world, key.secret) // the first use is written down at once
    const { stderr } = await portal.run(['key', 'revoke', key.id, '--org', acme.slug])
    expect(stderr).toMatch(/label +asked about\n/)
    expect(stderr).toMatch(/organization +Acme Edge \(acme-edge\)\n/)
    expect(stderr).toMatch(/last used +20[\d-]+ [\d:]+ UTC from 127\.0\.0\.1 by node\b/)
    expect(stderr).toMatch(/last 24 hours +1 call from 127\.0\.0\.1 \(1\)\n/)
    expect(stderr).toMatch(/permanent.*at once/)
    expect(stderr).not.toContain(key.secret)
  })

  it.for(['y', ' YES \n'])(
    'K8, K9, K10: with the answer %j the running server refuses the key at once',
    async (answer, { world, portal, acme }) => {
      const key = await acme.generateKey()
      expect(await isAccepted(world, key.secret)).toBe(true)
      expect(await portal.run(['key', 'revoke', key.id], answer)).toMatchObject({ code: 0 })
      expect(await isAccepted(world, key.secret)).toBe(false)
      expect(await audit(acme)).toContain(revoked(key))
    },
  )

  it('K8: --yes does not ask', async ({ world, portal, acme }) => {
    const key = await acme.generateKey()
    expect(await portal.answerOf(['key', 'revoke', key.id, '--yes'])).toEqual({
      ids: [key.id],
      revokedAt: expect.stringMatching(/^20.*Z$/),
      durable: true,
      organization: acme.slug,
      gone: [],
      stillActive: [],
    })
    expect(await isAccepted(world, key.secret)).toBe(false)
  })

  it('K8: with --json and no answer, stderr has only the error', async ({ world, portal, acme }) => {
    const key = await acme.generateKey()
    const refused = await portal.refusalOf(['key', 'revoke', key.id])
    expect(refused).toMatchObject({ code: 1, error: { code: 'NOT_CONFIRMED' } })
    expect(await isAccepted(world, key.secret)).toBe(true)
  })

  it('C2: --include-descendants also revokes the keys that it generated, which otherwise stay', async ({
    world,
    portal,
    acme,
  }) => {
    const [lone, parent] = [await acme.generateKey(), await acme.generateKey()]
    const [stays, goes] = [await childOf(world, lone), await childOf(world, parent)]
    const { stderr } = await portal.run(['key', 'revoke', lone.id], 'y')
    expect(stderr).toMatch(new RegExp(`keys generated by it +1, which stay\\n +${stays.id} `))
    const { ids } = await portal.answerOf<{ ids: string[] }>(['key', 'revoke', parent.id, '--include-descendants'], 'y')
    expect(ids.sort()).toEqual([parent.id, goes.id].sort())
    const secrets = [lone, stays, parent, goes].map(({ secret }) => secret)
    expect(await Promise.all(secrets.map((secret) => isAccepted(world, secret)))).toEqual([false, true, false, false])
  })

  it('C13: the question says what happens to the people whom the key invited', async ({ world, portal, acme }) => {
    const key = await acme.generateKey()
    const { call } = world.asKey(key.secret)
    const { token } = await invited(call, { email: 'joined@example.com', role: 'ADMIN' })
    await invited(call, { email: 'open@example.com' })
    await world.post('/auth/accept-invitation', { token, name: 'Joined', password: PASSWORD })
    const { stderr } = await portal.run(['key', 'revoke', key.id], 'n')
    expect(stderr).toContain('1 open invitation is withdrawn with this key: open@example.com\n')
    expect(stderr).toContain('1 person invited by it stays an Admin: Joined (joined@example.com)\n')
    await invited(world.asKey((await childOf(world, key)).secret).call, { email: 'by-child@example.com' })
    const all = await portal.run(['key', 'revoke', key.id, '--include-descendants'], 'n')
    expect(all.stderr).toMatch(/2 open invitations are withdrawn with these keys: (open|by-child)@example.com, /)
    expect(all.stderr).toContain('1 person invited by them stays an Admin: Joined (joined@example.com)\n')
  })

  it('a key of another organization is refused like an unknown key', async ({ world, portal, ada, acme }) => {
    const [key, other] = [await acme.generateKey(), await world.organization('Other', { admin: ada })]
    const foreign = await portal.refusalOf(['key', 'revoke', key.id, '--org', other.slug, '--yes'])
    expect(foreign).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
    expect(await portal.refusalOf(['key', 'revoke', 'never-was', '--org', other.slug, '--yes'])).toEqual(foreign)
    expect(await isAccepted(world, key.secret)).toBe(true)
  })
})

const generate = (portal: CommandLine, acme: TestOrganization, ...args: string[]) =>
  portal.answerOf<TestKey & { organization: string }>(['key', 'generate', '--org', acme.slug, ...args])

const keysOf = (portal: CommandLine, { slug }: TestOrganization) =>
  portal.answerOf<ListedKey[]>(['key', 'list', '--org', slug])

const keyOf = (of: TestOrganization, label: string) => of.generateKey({ label })

async function childOf(world: World, parent: TestKey): Promise<{ id: string; secret: string }> {
  const made = await world.asKey(parent.secret).call('mutation { generateApiKey { secret apiKey { id } } }')
  const { generateApiKey } = made.data as { generateApiKey: { secret: string; apiKey: { id: string } } }
  return { id: generateApiKey.apiKey.id, secret: generateApiKey.secret }
}

async function isAccepted(world: World, secret: string): Promise<boolean> {
  const { status, errors } = await world.asKey(secret).call('{ devices { data { id name } } }')
  expect([status, errors[0]?.code]).toEqual(status === 200 ? [200, undefined] : [401, 'API_KEY_INVALID'])
  return status === 200
}

const countKeys = (world: World) => countRows(world.database.read.selectFrom('apiKey'))

const audit = async (acme: TestOrganization) => auditLines(await acme.call(AUDIT))

const revoked = ({ id, label }: TestKey) => `API_KEY_REVOKED ${label} key ${id} by SYSTEM`
