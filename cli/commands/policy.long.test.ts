import { expect } from 'vitest'
import { AUDIT, auditLines, type CommandLine, startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { DEFAULT_POLICY, policyOfAdmin } from '../../test/support/world/policy.ts'
import type { TestKey, TestOrganization, World } from '../../test/support/world/world.ts'

const it = inOrganization(startWithCommandLine)
  .extend('acme', ({ world, ada }) => world.organization('Acme Edge', { admin: ada }))
  .extend('portal', { scope: 'file' }, ({ world }) => world.portal)

interface Shown {
  policy: object
  violations: { rule: string; keys: { id: string }[]; consequence: string }[]
}

const policy = (portal: CommandLine, acme: TestOrganization, ...options: string[]) =>
  portal.answerOf<Shown>(['org', 'policy', acme.slug, ...options])
const isAccepted = async (world: World, { secret }: TestKey) =>
  (await world.asKey(secret).call('{ viewer { role } }')).status === 200

it('shows the policy, sets all of it, and resets it to the default', async ({ portal, ada, acme }) => {
  expect(await policy(portal, acme)).toEqual({
    slug: acme.slug,
    name: 'Acme Edge',
    policy: DEFAULT_POLICY,
    violations: [],
    durable: true,
  })
  const set = await policy(
    portal,
    acme,
    ...['--max-keys', '5', '--max-lifetime', '90d', '--expiry-required', 'on', '--label-required', 'on'],
    ...['--networks', '10.0.0.0/8,2001:db8::1', '--allow-key-management', 'off', '--reject-browsers', 'on'],
  )
  const strict = {
    maxKeys: 5,
    maxLifetimeDays: 90,
    expiryRequired: true,
    labelRequired: true,
    allowedNetworks: ['10.0.0.0/8', '2001:db8::1/128'],
    allowKeyManagement: false,
    rejectBrowsers: true,
  }
  expect(set.policy).toEqual(strict)
  expect((await policyOfAdmin(ada, acme).read()).data).toEqual({ apiKeyPolicy: strict })
  const loosened = await policy(
    portal,
    acme,
    '--max-keys',
    'none',
    '--max-lifetime',
    'none',
    '--networks',
    'none',
    '--expiry-required',
    'off',
  )
  const loose = { maxKeys: null, maxLifetimeDays: null, allowedNetworks: [], expiryRequired: false }
  expect(loosened.policy).toEqual({ ...strict, ...loose })
  expect(auditLines(await acme.call(AUDIT))[0]).toMatch(
    /^API_KEYS_POLICY_CHANGED Acme Edge maxKeys: any, was 5; .* by SYSTEM$/,
  )
})

it('shows the keys that violate the policy, and revokes them only when asked to, with confirmation', async ({
  world,
  portal,
  acme,
}) => {
  const [old, busy] = [await acme.generateKey({ label: 'old' }), await acme.generateKey()]
  const { code, stdout } = await portal.run(['org', 'policy', acme.slug, '--max-keys', '1'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}keys at most +1$/m)
  expect(stdout).toContain('With --apply-to-existing MAX_KEYS: They are revoked for good')
  expect(stdout).toMatch(new RegExp(`^${old.id} +old +emp_`, 'm'))

  const apply = ['org', 'policy', acme.slug, '--apply-to-existing', 'max-keys']
  expect(await portal.refusalOf(apply, 'no\n')).toMatchObject({ code: 1, error: { code: 'NOT_CONFIRMED' } })
  expect([await isAccepted(world, old), await isAccepted(world, busy)]).toEqual([true, true]) // the one used last is kept
  expect((await policy(portal, acme, '--apply-to-existing', 'MAX_KEYS,EXPIRY_REQUIRED', '--yes')).violations).toEqual(
    [],
  )
  expect([await isAccepted(world, old), await isAccepted(world, busy)]).toEqual([false, true])
})

it.for<[string, string]>([
  ['--networks', '10.0.0.0/40'],
  ['--networks', ''],
  ['--max-keys', '0'],
  ['--max-keys', '101'],
  ['--max-keys', 'many'],
  ['--max-lifetime', '36h'],
  ['--max-lifetime', '4000d'],
  ['--max-lifetime', '90'],
  ['--expiry-required', 'yes'],
  ['--apply-to-existing', 'EVERYTHING'],
])('%s %j is wrong usage, and changes nothing', async ([option, value], { portal, acme }) => {
  const typed = ['org', 'policy', acme.slug, option, value, '--label-required', 'on']
  expect(await portal.refusalOf(typed)).toMatchObject({ code: 2, error: { code: 'BAD_USER_INPUT' } })
  expect((await policy(portal, acme)).policy).toEqual(DEFAULT_POLICY)
})

it('refuses an organization that does not exist', async ({ portal }) => {
  expect(await portal.refusalOf(['org', 'policy', 'nobody'])).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
})
