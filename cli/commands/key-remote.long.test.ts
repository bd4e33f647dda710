import { describe, expect } from 'vitest'
import type { Output } from '../../test/support/process/portal-process.ts'
import { runInProcess, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import type { TestOrganization, World } from '../../test/support/world/world.ts'

type Run = (args: string[], stdin?: string) => Promise<Output>

const it = inOrganization(() => startWithCommandLine({ tuning: { usageFlushMs: 20 } }))
  .extend('remote', ({ world, key }) => remoteOf(world, key.secret))
  .extend(
    'local',
    ({ world }): Run =>
      (args, stdin) =>
        world.portal.run(['key', ...args], stdin),
  )

const remoteOf =
  (world: World, secret: string): Run =>
  (args, stdin) =>
    runInProcess(['key', ...args, '--remote', world.url], {
      env: { API_SECRET: secret },
      ...(stdin !== undefined && { stdin }),
    })

const json = async (run: Run, args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** A key with everything that can be shown of one: restrictions, a pause, calls, a key that it generated, changes. */
async function richKey(world: World, acme: TestOrganization): Promise<string> {
  const { id, secret } = await acme.generateKey({
    label: 'rich',
    allowedNetworks: ['127.0.0.0/8'],
    requestsPerDay: 500,
  })
  const { call } = world.asKey(secret)
  await call('mutation { createDevice(input: { name: "made by it" }) { id } }')
  await call('mutation { generateApiKey(input: { label: "child" }) { secret } }')
  await acme.call('mutation ($id: ID!) { pauseApiKey(id: $id, seconds: 3600) { id } }', { id })
  const used = 'query ($id: ID!) { apiKey(id: $id) { recentUsage { calls operations { calls } } } }'
  const all = { apiKey: { recentUsage: { calls: 2, operations: [{ calls: 1 }, { calls: 1 }] } } }
  await expect.poll(async () => (await acme.call(used, { id })).data).toEqual(all)
  return id
}

describe('portal key --remote prints what it prints of this database', () => {
  it.for<[string, (id: string) => string[]]>([
    ['show', (id) => ['show', id]],
    ['show as JSON', (id) => ['show', id, '--json']],
    ['changes', (id) => ['changes', id]],
    ['changes as JSON', (id) => ['changes', id, '--json', '--since', '2026-01-01']],
    ['changes as CSV', (id) => ['changes', id, '--csv']],
  ])('%s', async ([_title, args], { world, acme, remote, local }) => {
    const id = await richKey(world, acme)
    expect(await remote(args(id))).toEqual(await local(args(id)))
    expect((await remote(args(id))).stdout).toContain(id)
  })

  it('list', async ({ world, acme, remote, local }) => {
    await richKey(world, acme)
    const own = ['--org', acme.slug]
    const listed = await remote(['list', '--json'])
    const withoutUse = ({ stdout }: Output) =>
      JSON.parse(stdout).map((key: object) => ({
        ...key,
        lastUsedAt: 0,
        lastUsedIp: 0,
        lastUsedUserAgent: 0,
        lastUsedOperation: 0,
      }))
    expect(withoutUse(listed)).toEqual(withoutUse(await local(['list', '--json', ...own])))
    const [heading] = (await local(['list', ...own])).stdout.split('\n')
    expect((await remote(['list'])).stdout.split('\n')[0]).toBe(heading)
  })
})

describe('portal key --remote', () => {
  it('K1, K4: generates a key that is accepted at once', async ({ world, acme, remote }) => {
    const args = [
      'generate',
      '--label',
      'by remote',
      '--access',
      'READ_ONLY',
      '--per-day',
      '9',
      '--expires',
      '2099-01-31',
    ]
    const made = await json(remote, args)
    expect(made).toMatchObject({ label: 'by remote', organization: acme.slug, access: 'READ_ONLY', requestsPerDay: 9 })
    expect(await world.accepts(made.secret)).toBe(true)
    expect(await json(remote, ['show', made.id])).toMatchObject({ expiresAt: '2099-01-31T00:00:00.000Z' })
    const text = await remote(['generate', '--label', 'another'])
    expect(text.stdout).toContain('The secret is shown only now.')
  })

  it('narrows, pauses, resumes and rotates a key', async ({ world, acme, remote }) => {
    const { id, secret } = await acme.generateKey({ label: 'old' })
    expect(await json(remote, ['update', id, '--access', 'DEVICES', '--not-before', '2020-01-01'])).toMatchObject({
      access: 'DEVICES',
      notBefore: '2020-01-01T00:00:00.000Z',
    })
    expect(await json(remote, ['update', id, '--clear', 'not-before'])).toMatchObject({ notBefore: null })
    expect(await json(remote, ['pause', id, '--for', '1h'])).toMatchObject({ paused: true })
    expect(await world.accepts(secret)).toBe(false)
    expect(await json(remote, ['resume', id])).toMatchObject({ paused: false })
    const rotated = await json(remote, ['rotate', id, '--overlap', '1h'])
    expect(rotated).toMatchObject({ label: 'old', replaces: id, oldKeyExpiresAt: expect.any(String) })
    expect(await world.accepts(rotated.secret)).toBe(true)
    expect(await json(remote, ['rotate', rotated.id, '--overlap', '0'])).toMatchObject({ replaces: rotated.id })
    expect(await world.accepts(rotated.secret)).toBe(false)
  })

  it('K8, K10: revokes keys after a yes, and says what stays', async ({ world, acme, remote }) => {
    const id = await richKey(world, acme)
    const others = [await acme.generateKey(), await acme.generateKey()]
    const asked = await remote(['revoke', id])
    expect(asked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('Revoke this key?') })
    expect(asked.stderr).toContain('Nothing was revoked')
    const { stdout } = await remote(['revoke', id, '--reason', 'over'], 'yes\n')
    expect(stdout).toMatch(new RegExp(`^Revoked at .*, for good: ${id}\nGenerated by it and still active: \\w+\n$`))
    const many = await json(remote, ['revoke', ...others.map((each) => each.id), '--yes'])
    expect(many).toMatchObject({ ids: expect.toSatisfy((ids: string[]) => ids.length === 2), gone: [] })
    for (const { secret } of others) expect(await world.accepts(secret)).toBe(false)
    expect(await remote(['revoke', id, '--yes'])).toMatchObject({ code: 1 })
  })

  it('prunes keys, and generates, lists and deletes canary keys', async ({ world, acme, remote }) => {
    const unused = await acme.generateKey()
    await world.database.transaction((db) =>
      db.updateTable('apiKey').set({ createdAt: 0 }).where('id', '=', unused.id).execute(),
    )
    const pruned = await json(remote, ['prune', '--unused-for', '90d', '--yes'])
    expect(pruned).toMatchObject({ keys: [{ id: unused.id, organization: acme.slug }], notRevoked: [], durable: true })
    expect(await world.accepts(unused.secret)).toBe(false)

    const { id, secret } = await json(remote, ['canary', 'generate', '--label', 'in the wiki'])
    expect(await world.accepts(secret)).toBe(false)
    await expect.poll(() => json(remote, ['canary', 'list'])).toMatchObject([{ id, label: 'in the wiki', calls: 1 }])
    expect(await json(remote, ['canary', 'delete', id])).toEqual({ id })
    expect(await json(remote, ['canary', 'list'])).toEqual([])
  })

  it('revokes its own key, too', async ({ world, key, remote }) => {
    await world.asKey(key.secret).call('mutation { generateApiKey(input: { label: "child" }) { secret } }')
    const done = await json(remote, ['revoke', key.id, '--yes'])
    expect(done).toMatchObject({ ids: [key.id], stillActive: [expect.any(String)] })
    expect(await remote(['list'])).toMatchObject({ code: 1, stderr: expect.stringContaining('not accepted') })
  })

  it('A3: sees no key of another organization', async ({ world, ada, remote }) => {
    const other = await world.organization('Other', { admin: ada })
    const { id } = await other.generateKey()
    for (const args of [
      ['show', id],
      ['pause', id],
      ['revoke', id, '--yes'],
      ['changes', id],
    ])
      expect(await remote(args)).toMatchObject({ code: 1, stdout: '' })
    expect(await json(remote, ['list'])).not.toContainEqual(expect.objectContaining({ id }))
  })

  it('C10: a key that only reads manages no keys', async ({ world, acme }) => {
    const { secret, id } = await acme.generateKey({ label: 'reader', access: 'READ_ONLY' })
    const reader = remoteOf(world, secret)
    expect((await reader(['show', id])).code).toBe(0)
    const refused = await reader(['pause', id, '--json'])
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'FORBIDDEN' } })
  })

  it('needs --org or --remote, and not both', async ({ acme, remote, local }) => {
    expect(await local(['list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--org') })
    expect(await local(['revoke', '--all'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--org') })
    expect(await remote(['list', '--org', acme.slug])).toMatchObject({ code: 2 })
  })

  it('PORTAL_URL is for commands without --org', async ({ world, acme, key }) => {
    const env = { ...world.storage.env, PORTAL_URL: world.url, API_SECRET: key.secret }
    await world.asKey(key.secret).call('mutation { revokeApiKey(id: "x") { ids } }')
    const [elsewhere, here] = [
      await runInProcess(['key', 'generate', '--label', 'elsewhere'], { env }),
      await runInProcess(['key', 'generate', '--label', 'here', '--org', acme.slug], { env }),
    ]
    expect([elsewhere.code, here.code]).toEqual([0, 0])
    const made = await acme.call('{ apiKeys { data { label createdBy { kind } } } }')
    expect(JSON.stringify(made.data)).toContain('{"label":"elsewhere","createdBy":{"kind":"API_KEY"}}')
    expect(JSON.stringify(made.data)).toContain('{"label":"here","createdBy":{"kind":"SYSTEM"}}')
  })
})
