import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { AUDIT, auditLines, commandLineOf } from '../../test/support/command-line.ts'
import { DEFAULT_POLICY, policyOfAdmin } from '../../test/support/policy.ts'
import { type Person, startWorld, type TestKey, type TestOrganization, type World } from '../../test/support/world.ts'

let world: World
let portal: ReturnType<typeof commandLineOf>
let ada: Person
let acme: TestOrganization

interface Shown {
  policy: object
  violations: { rule: string; keys: { id: string }[]; consequence: string }[]
}

beforeAll(async () => {
  world = await startWorld()
  portal = commandLineOf(world)
  ada = await world.signUp('Ada')
})
beforeEach(async () => {
  acme = await world.organization('Acme Edge', { admin: ada })
})
afterAll(() => world.close())

const policy = (...options: string[]) => portal.answerOf<Shown>(['org', 'policy', acme.slug, ...options])
const isAccepted = async ({ secret }: TestKey) => (await world.asKey(secret).call('{ viewer { role } }')).status === 200

it('shows the policy, sets all of it, and goes back to the default', async () => {
  expect(await policy()).toEqual({ slug: acme.slug, name: 'Acme Edge', policy: DEFAULT_POLICY, violations: [] })
  const set = await policy(
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
  expect(auditLines(await ada.call(AUDIT, {}, acme.slug))[0]).toMatch(
    /^api_keys\.policy_changed Acme Edge maxKeys: any, was 5; .* by SYSTEM$/,
  )
})

it('shows the keys that break it, and revokes them only when told to, twice', async () => {
  const [old, busy] = [await world.generateKey(ada, acme, { label: 'old' }), await world.generateKey(ada, acme)]
  const { code, stdout } = await portal.run(['org', 'policy', acme.slug, '--max-keys', '1'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ {2}keys at most +1$/m)
  expect(stdout).toContain('With --apply-to-existing MAX_KEYS: They are revoked for good')
  expect(stdout).toMatch(new RegExp(`^${old.id} +old +emp_`, 'm'))

  const apply = ['org', 'policy', acme.slug, '--apply-to-existing', 'max-keys']
  expect(await portal.refusalOf(apply, 'no\n')).toMatchObject({ code: 1, error: { code: 'NOT_CONFIRMED' } })
  expect(await isAccepted(old)).toBe(true)
  expect((await policy('--apply-to-existing', 'MAX_KEYS,EXPIRY_REQUIRED', '--yes')).violations).toEqual([])
  expect([await isAccepted(old), await isAccepted(busy)]).toEqual([false, true])
})

it.each([
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
])('%s %j is a mistake in what was typed, and changes nothing', async (option, value) => {
  const typed = ['org', 'policy', acme.slug, option, value, '--label-required', 'on']
  expect(await portal.refusalOf(typed)).toMatchObject({ code: 2, error: { code: 'BAD_USER_INPUT' } })
  expect((await policy()).policy).toEqual(DEFAULT_POLICY)
})

it('an organization that does not exist is refused', async () => {
  expect(await portal.refusalOf(['org', 'policy', 'nobody'])).toMatchObject({ code: 1, error: { code: 'NOT_FOUND' } })
})
