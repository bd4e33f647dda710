import { expect } from 'vitest'
import { inOrganization } from '../../test/support/world/fixtures.ts'
import { fieldOf } from '../../test/support/world/people.ts'
import { setBytes } from '../../test/support/world/stored-bytes.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { LIMITS } from '../config/limits.ts'
import { createLog } from '../lib/log.ts'
import { runBackgroundJobs } from '../process/background-jobs.ts'

const STORAGE = '{ overview { storage { kind bytes maxBytes resetAt } } }'

const MANY =
  'mutation ($inputs: [CreateDeviceInput!]!) { createDevices(inputs: $inputs) { results { error { code } } } }'

const it = inOrganization(startWorld)

it('C20: an Admin and a key see how much is stored, of their organization alone; a Member does not', async ({
  world,
  ada,
  acme,
  key,
  bob,
}) => {
  const other = await world.organization('Other', { admin: ada })
  await setBytes(world, other.id, 'answer_bytes', 7)
  await setBytes(world, acme.id, 'audit_bytes_a_day', 1234)
  await setBytes(world, acme.id, 'delivery_bytes', 3 * LIMITS.delivery_bytes)
  const expected = [
    ['AUDIT_LOG', 1234, LIMITS.audit_bytes_a_day, '2026-11-16T00:00:00.000Z'],
    ['RECORDED_ANSWERS', 0, LIMITS.answer_bytes, null],
    ['WAITING_DELIVERIES', 3 * LIMITS.delivery_bytes, LIMITS.delivery_bytes, null],
  ].map(([kind, bytes, maxBytes, resetAt]) => ({ kind, bytes, maxBytes, resetAt }))
  for (const call of [acme.call, world.asKey(key.secret).call])
    expect(fieldOf(await call(STORAGE))).toEqual({ storage: expected })
  expect(fieldOf(await bob.call(STORAGE, {}, acme.slug))).toEqual({ storage: null })
})

it('C20: the metrics say how much the organization has used that has used the most', async ({ world, acme }) => {
  const { database, config, clock } = world
  await setBytes(world, acme.id, 'audit_bytes_a_day', 0.75 * LIMITS.audit_bytes_a_day)
  await setBytes(world, acme.id, 'answer_bytes', 2 * LIMITS.answer_bytes)
  await runBackgroundJobs({ database, config, log: createLog('silent'), now: clock.now, webDir: undefined })
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  expect(metrics).toContain('portal_stored_bytes_used_ratio{limit="audit_bytes_a_day"} 0.75')
  expect(metrics).toContain('portal_stored_bytes_used_ratio{limit="answer_bytes"} 2')
})

it('C20: a mutation pays for what it stores, after it is done', async () => {
  const world = await startWorld({ env: { RATE_LIMIT: '100' } })
  try {
    const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
    const { secret } = await acme.generateKey()
    const inputs = Array.from({ length: 16 }, (_, i) => ({ name: `edge-${i}`, description: 'x'.repeat(1000) }))
    const { headers } = await sendRaw(`${world.url}/graphql`, { 'api-secret': secret }, MANY, { inputs })
    const left = 200 - 1 - 4 - 3 // itself, the 17 KB of its body, and the 27 KB that it stores
    expect(headers.get('ratelimit')).toContain(`r=${left}`)
  } finally {
    await world.close()
  }
})

const sendRaw = (url: string, headers: Record<string, string>, query: string, variables: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  })
