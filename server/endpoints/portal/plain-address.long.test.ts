import { expect } from 'vitest'
import { inOrganization } from '../../../test/support/world/fixtures.ts'
import { fieldOf } from '../../../test/support/world/people.ts'
import { startWorld } from '../../../test/support/world/world.ts'

const it = inOrganization(() =>
  startWorld({ env: { TRUST_PROXY: 'on' }, tuning: { canaryCheckMs: 1, usageFlushMs: 1 } }),
)

const FROM = { 'x-forwarded-for': '::ffff:192.0.2.7' }
const SEEN = `query ($id: ID!) { apiKey(id: $id) {
  lastUsedIp recentUsage { addresses { value } } recentCalls { accepted { ip } } } }`

it('an IPv4 address that came over IPv6 is shown as such, of keys and of canary keys', async ({ world, acme, key }) => {
  const generate = 'mutation { generateCanaryApiKey(label: "in the backup") { secret } }'
  const canary = fieldOf<{ secret: string }>(await acme.call(generate))
  for (const { secret } of [key, canary])
    await world.post('/graphql', { query: '{ viewer { role } }' }, { headers: { ...FROM, 'api-secret': secret } })
  const plain = '192.0.2.7'
  await expect
    .poll(async () => fieldOf(await acme.call(SEEN, { id: key.id })))
    .toEqual({
      lastUsedIp: plain,
      recentUsage: { addresses: [{ value: plain }] },
      recentCalls: { accepted: [{ ip: plain }] },
    })
  const used = '{ canaryApiKeys { lastUsedIp } }'
  await expect.poll(async () => fieldOf(await acme.call(used))).toEqual([{ lastUsedIp: plain }])
  const details =
    '{ auditEvents(filter: { action: CANARY_KEY_USED }) { data { details ip } } emails { data { text } } }'
  const { data } = await acme.call(details)
  expect(JSON.stringify(data)).toContain(`from ${plain}`)
  expect(JSON.stringify(data)).not.toContain('::ffff')
})
