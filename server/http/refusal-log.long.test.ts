import { expect } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'
import { keyRules } from '../caller/key-rules.ts'
import { createLog } from '../lib/log.ts'
import { createRefusalLog } from './refusal-log.ts'

const it = inWorld(startWorld)

const lines = (world: World) =>
  world
    .logged()
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'refused')

it('errors in a response with status 200 are logged with codes, caller and operation, and counted', async ({
  world,
  ada,
  acme,
  key,
}) => {
  const query = 'query Find { device(id: "hunter2") { id } other: device(id: "hunter2") { id } }'
  await world.asKey(key.secret).call(query)
  await acme.call('{ gadgets }')
  expect(lines(world)).toMatchObject([
    { codes: ['NOT_FOUND'], keyId: key.id, operation: 'Find', requestId: expect.any(String) },
    { codes: ['GRAPHQL_VALIDATION_FAILED'], userId: ada.userId, requestId: expect.any(String) },
  ])
  expect(world.logged().join()).not.toContain('hunter2')
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  expect(metrics).toContain('portal_graphql_errors_total{code="NOT_FOUND"} 2')
  expect(metrics).toContain('portal_graphql_errors_total{code="GRAPHQL_VALIDATION_FAILED"} 1')
})

it('at most once a second for one caller, with the number of others, and a title of bounded length', () => {
  let now = 0
  const written: string[] = []
  const note = createRefusalLog(createLog('info', { write: (line: string) => written.push(line) }), () => now)
  const from = (keyId: string) => ({
    requestId: 'r',
    address: '::1',
    codes: ['FORBIDDEN'],
    operation: 'x'.repeat(15_000),
    caller: {
      kind: 'API_KEY' as const,
      keyId,
      label: 'ci',
      organizationId: 'o',
      role: 'ADMIN' as const,
      rules: keyRules(null),
      calledFrom: { address: '::1', origin: undefined },
    },
  })
  for (let i = 0; i < 10; i++) note(from('a'))
  note(from('b'))
  now = 1000
  note(from('a'))
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { keyId: 'a', operation: 'x'.repeat(80) },
    { keyId: 'b' },
    { keyId: 'a', others: 9 },
  ])
})
