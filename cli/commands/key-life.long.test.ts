import { describe, expect } from 'vitest'
import { DAY, HOUR, SECOND } from '../../server/lib/clock.ts'
import { AUDIT, auditLines, type CommandLine, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { joined } from '../../test/support/world/people.ts'
import { startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world/world.ts'

const it = inOrganization(startWithCommandLine)
  .extend('bob', ({ world, acme }) => joined(world, acme, 'Bob', 'ADMIN'))
  .extend('members', { auto: true }, ({ bob }) => [bob])
  .extend('portal', { scope: 'file' }, ({ world }) => world.portal)

const key = (world: World, acme: TestOrganization, label: string, by = acme.admin) =>
  world.generateKey(by, acme, { label })
const audit = async (acme: TestOrganization) => auditLines(await acme.call(AUDIT))
const idsOf = (...keys: TestKey[]) => keys.map(({ id }) => id)

const accepted = (world: World, ...keys: { secret: string }[]) =>
  Promise.all(
    keys.map(async ({ secret }) => (await world.asKey(secret).call('{ devices { data { id } } }')).status === 200),
  )

/** As if it had been made, and last used, so long ago. */
const age = (world: World, days: number, ...keys: TestKey[]) =>
  world.database.transaction((db) =>
    db
      .updateTable('apiKey')
      .set({ createdAt: Date.now() - days * DAY })
      .where('id', 'in', idsOf(...keys))
      .execute(),
  )

/** A call to a server of its own on the same database, closed as by SIGTERM: what it has counted is written. */
async function callBeside(world: World, secret: string, query: string) {
  const beside = await startWorld({ beside: { storage: world.storage }, now: world.clock.now })
  const { data } = await beside.asKey(secret).call(query)
  await beside.close()
  return data
}

describe('key rotate', () => {
  it('prints the new secret once, and both keys are accepted until the overlap ends', async ({
    world,
    portal,
    acme,
  }) => {
    const old = await key(world, acme, 'export')
    const before = Date.now()
    const made = await portal.answerOf<TestKey & { oldKeyExpiresAt: string }>([
      'key',
      'rotate',
      old.id,
      '--overlap',
      '2h',
    ])
    expect(made).toEqual({
      id: expect.any(String),
      label: 'export',
      secret: expect.stringMatching(/^emp_[0-9A-Za-z]{49}$/),
      replaces: old.id,
      oldKeyExpiresAt: expect.stringMatching(/^20.*Z$/),
      durable: true,
      heldSince: null,
    })
    const rotatedAt = Date.parse(made.oldKeyExpiresAt) - 2 * HOUR
    expect(rotatedAt).toBeGreaterThanOrEqual(before - SECOND) // the clock of the database may be a little off
    expect(rotatedAt).toBeLessThanOrEqual(Date.now() + SECOND)
    expect(await accepted(world, old, made)).toEqual([true, true])
    expect(await audit(acme)).toContain(
      `API_KEY_ROTATED export key ${made.id} replaces key ${old.id}; overlap 7200 s by SYSTEM`,
    )
  })

  it('says until when the old key is accepted, unless the overlap is 0', async ({ world, portal, acme }) => {
    const [old, other] = [await key(world, acme, 'kept'), await key(world, acme, 'dropped')]
    const { stdout } = await portal.run(['key', 'rotate', old.id, '--org', acme.slug, '--expires', '2099-01-31'])
    expect(stdout).toMatch(/^ {2}secret {3}emp_\w{49}$/m)
    expect(stdout).toMatch(/^ {2}expires {2}2099-01-31 00:00 UTC$/m)
    expect(stdout).toMatch(/The old key is accepted until 20[\d-]+ [\d:]+ UTC\./)
    expect(await portal.run(['key', 'rotate', other.id, '--overlap', '0'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The old key is revoked.'),
    })
    expect(await accepted(world, old, other)).toEqual([true, false])
  })

  it.for<[string, number, string, string[]]>([
    ['an overlap of eight days', 2, 'BAD_USER_INPUT', ['--overlap', '8d']],
    ['an overlap without a unit', 2, 'BAD_USER_INPUT', ['--overlap', '3600']],
    ['an end in the past', 2, 'BAD_USER_INPUT', ['--expires', '2020-01-31']],
    ['another organization', 1, 'NOT_FOUND', ['--org', 'elsewhere']],
  ])('is refused with %s', async ([_words, code, message, args], { world, portal, acme }) => {
    const old = await key(world, acme, 'ci')
    expect(await portal.refusalOf(['key', 'rotate', old.id, ...args])).toMatchObject({ code, error: { code: message } })
  })
})

describe('key prune', () => {
  it('a dry run lists the keys to revoke and revokes nothing', async ({ world, portal, acme }) => {
    const [old, fresh] = [await key(world, acme, 'old'), await key(world, acme, 'fresh')]
    await age(world, 100, old)
    const prune = ['key', 'prune', '--org', acme.slug, '--unused-for', '90d', '--dry-run']
    const { stdout } = await portal.run(prune)
    expect(stdout).toMatch(new RegExp(`^${old.id} +old `, 'm'))
    expect(stdout).not.toContain(fresh.id)
    expect(stdout).toContain('Nothing was revoked: this was a dry run.')
    expect(await portal.answerOf(prune)).toMatchObject({
      dryRun: true,
      keys: [{ id: old.id, label: 'old', organization: acme.slug }],
    })
    expect((await audit(acme)).filter((line) => line.includes('REVOKED'))).toEqual([])
    expect(await accepted(world, old, fresh)).toEqual([true, true])
  })

  it('asks once with the whole list, and then revokes the keys together', async ({ world, portal, acme }) => {
    const [a, b, fresh] = [await key(world, acme, 'a'), await key(world, acme, 'b'), await key(world, acme, 'fresh')]
    await age(world, 100, a, b)
    const prune = ['key', 'prune', '--org', acme.slug, '--unused-for', '90d']
    const refused = await portal.run(prune, 'n\n')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/Revoke these keys, unused for 90 days\?[\s\S]+permanent/)
    expect(await portal.run(prune, 'yes\n')).toMatchObject({ code: 0, stdout: expect.stringContaining(a.id) })
    expect(await accepted(world, a, b, fresh)).toEqual([false, false, true])
    const lines = (await audit(acme)).filter((line) => line.includes('REVOKED'))
    expect(lines).toEqual([`API_KEYS_REVOKED a, b chosen, unused for 90 days; keys ${a.id}, ${b.id} by SYSTEM`])
    expect(await portal.answerOf([...prune, '--yes'])).toEqual({
      dryRun: false,
      durable: true,
      notRevoked: [],
      keys: [],
    })
  })

  it('without --org it covers all organizations, with an entry in the audit log of each', async ({
    world,
    portal,
    ada,
    acme,
  }) => {
    const other = await world.organization('Other', { admin: ada })
    const [mine, theirs] = [await key(world, acme, 'mine'), await other.generateKey({ label: 'theirs' })]
    await age(world, 5000, mine, theirs)
    const { keys } = await portal.answerOf<{ keys: { id: string; organization: string }[] }>([
      ...['key', 'prune', '--unused-for', '4000d', '--yes'],
    ])
    expect(keys.map(({ id, organization }) => [id, organization]).sort()).toEqual(
      [
        [mine.id, acme.slug],
        [theirs.id, other.slug],
      ].sort(),
    )
    for (const { slug } of [acme, other]) {
      const lines = auditLines(await ada.call(AUDIT, {}, slug))
      expect(lines.filter((line) => line.startsWith('API_KEYS_REVOKED'))).toHaveLength(1)
    }
  })

  it.for(['90', '0d', '36h', '12w'])('refuses %s as a number of days', async (days, { portal }) => {
    const refused = await portal.refusalOf(['key', 'prune', '--unused-for', days])
    expect(refused).toMatchObject({ code: 2, error: { code: 'BAD_USER_INPUT' } })
  })
})

describe('key revoke with several keys', () => {
  const revoke = (portal: CommandLine, ...args: string[]) =>
    portal.answerOf<{ ids: string[] }>(['key', 'revoke', ...args, '--yes'])

  it('revokes several ids together, and shows all of them in the question', async ({ world, portal, acme }) => {
    const [a, b, stays] = [await key(world, acme, 'a'), await key(world, acme, 'b'), await key(world, acme, 'stays')]
    const { code, stderr } = await portal.run(['key', 'revoke', a.id, b.id], 'n')
    expect([code, [a, b, stays].map(({ id }) => stderr.includes(id))]).toEqual([1, [true, true, false]])
    expect((await revoke(portal, b.id, a.id)).ids).toEqual(idsOf(a, b))
    expect(await accepted(world, a, b, stays)).toEqual([false, false, true])
    const lines = (await audit(acme)).filter((line) => line.includes('REVOKED'))
    expect(lines).toEqual([`API_KEYS_REVOKED a, b chosen; keys ${a.id}, ${b.id} by SYSTEM`])
  })

  it('revokes nothing if one id is unknown', async ({ world, portal, acme }) => {
    const only = await key(world, acme, 'only')
    const refused = await portal.refusalOf(['key', 'revoke', only.id, 'never-was', '--yes'])
    expect(refused).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
    expect(await accepted(world, only)).toEqual([true])
  })

  it('--created-by accepts a name or an id, of a person or of the command line', async ({
    world,
    portal,
    ada,
    bob,
    acme,
  }) => {
    const [mine, his] = [await key(world, acme, 'mine'), await key(world, acme, 'his', bob)]
    const made = await portal.answerOf<TestKey>(['key', 'generate', '--org', acme.slug])
    expect((await revoke(portal, '--org', acme.slug, '--created-by', 'Bob')).ids).toEqual(idsOf(his))
    expect((await revoke(portal, '--org', acme.slug, '--created-by', 'command line')).ids).toEqual(idsOf(made))
    expect((await revoke(portal, '--org', acme.slug, '--created-by', ada.userId)).ids).toEqual(idsOf(mine))
    const nobody = await portal.refusalOf(['key', 'revoke', '--org', acme.slug, '--created-by', 'Bob', '--yes'])
    expect(nobody).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
  })

  it('--created-by refuses a name that two people have', async ({ world, portal, bob, acme }) => {
    const namesake = await world.signUp('Bob')
    await world.join(acme, namesake, 'ADMIN')
    const keys = [await key(world, acme, 'a', bob), await key(world, acme, 'b', namesake)]
    const refused = await portal.refusalOf(['key', 'revoke', '--org', acme.slug, '--created-by', 'Bob', '--yes'])
    expect(refused).toMatchObject({ code: 1, error: { code: 'CONFLICT' } })
    expect(await accepted(world, ...keys)).toEqual([true, true])
  })

  it('--all revokes every key of one organization', async ({ world, portal, ada, acme }) => {
    const elsewhere = await world.generateKey(ada, await world.organization('Elsewhere', { admin: ada }))
    const keys = [await key(world, acme, 'a'), await key(world, acme, 'b')]
    expect((await revoke(portal, '--org', acme.slug, '--all')).ids).toEqual(idsOf(...keys))
    expect(await accepted(world, ...keys, elsewhere)).toEqual([false, false, true])
  })

  it.for([
    ['--all'],
    ['--created-by', 'Bob'],
    ['some-id', '--all', '--org', 'acme'],
    ['--all', '--created-by', 'Bob', '--org', 'acme'],
    ['one', 'two', '--include-descendants'],
    ['--all', '--org', 'acme', '--include-descendants'],
  ])('%s %s is wrong usage', async ([...args], { portal }) => {
    const refused = await portal.refusalOf(['key', 'revoke', ...args.filter((arg) => arg !== undefined), '--yes'])
    expect(refused).toMatchObject({ code: 2, error: { code: 'BAD_USER_INPUT' } })
  })
})

describe('key show, key list', () => {
  it('shows the usage of a key by day, address, user agent and operation, and its descendants', async ({
    world,
    portal,
    acme,
  }) => {
    const parent = await key(world, acme, 'parent')
    const generate = 'mutation { generateApiKey(input: { label: "child" }) { apiKey { id } } }'
    const data = await callBeside(world, parent.secret, generate)
    const { id: childId } = (data as { generateApiKey: { apiKey: { id: string } } }).generateApiKey.apiKey
    const { stdout } = await portal.run(['key', 'show', parent.id])
    expect(stdout).toMatch(/^ {2}last 24 hours +1 call from 127\.0\.0\.1 \(1\)$/m)
    expect(stdout).toMatch(/^ {2}operations +generateApiKey \(1\)$/m)
    expect(stdout).toMatch(new RegExp(`^ {4}${childId} {2}child, last used never$`, 'm'))
    expect(stdout).toMatch(/^DAY +CALLS +REFUSED\n20\d\d-\d\d-\d\d +1 +0$/m)
    expect(stdout).not.toContain(parent.secret)
    expect(await portal.answerOf(['key', 'show', parent.id, '--org', acme.slug])).toMatchObject({
      id: parent.id,
      organization: acme.slug,
      recentUsage: { calls: 1, errors: 0, operations: [{ value: 'generateApiKey', calls: 1 }] },
      usage: [{ at: expect.stringMatching(/T00:00:00\.000Z$/), calls: 1, errors: 0 }],
      descendants: [{ id: childId, label: 'child', parentId: parent.id }],
    })
  })

  it('shows the rules that apply to a key', async ({ world, portal, acme }) => {
    const set =
      'mutation { setApiKeyPolicy(input: { allowedNetworks: ["10.0.0.0/8"], allowKeyManagement: false }) { maxKeys } }'
    await acme.call(set)
    const { id } = await key(world, acme, 'bound')
    const { stdout } = await portal.run(['key', 'show', id])
    expect(stdout).toMatch(/^ {2}only from +10\.0\.0\.0\/8\n {2}key management +no$/m)
    expect(await portal.answerOf(['key', 'show', id])).toMatchObject({ policy: { allowedNetworks: ['10.0.0.0/8'] } })
  })

  it('a list fits into 120 columns, however long labels and names are', async ({ world, portal, acme }) => {
    const carol = await world.signUp('Carolina of the very long name that goes on and on')
    await world.join(acme, carol, 'ADMIN')
    const long = await key(world, acme, 'x'.repeat(80), carol)
    await accepted(world, long)
    await world.database.transaction((db) =>
      db
        .updateTable('apiKey')
        .set({ lastUsedIp: '2001:db8:1111:2222:3333:4444:5555:6666' })
        .where('id', '=', long.id)
        .execute(),
    )
    await portal.run(['key', 'rotate', long.id, '--overlap', '23h'])
    const { stdout } = await portal.run(['key', 'list', '--org', acme.slug])
    expect(stdout).toMatch(/ 2[23]h, replaced$/m)
    expect(Math.max(...stdout.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(120)
  })
})
