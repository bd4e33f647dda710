import { expect, vi } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { eventsOf, peopleAs } from '../../test/support/world/people.ts'
import { type Person, startWorld } from '../../test/support/world/world.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createSignInFailures } from './sign-in-failures.ts'

const HERE = '203.0.113.7'

const it = inOwnWorld(() => startWorld({ env: { TRUST_PROXY: 'on' }, tuning: { signInFailuresFlushMs: 5 } }))
  .extend('lines', (): string[] => [])
  .extend('failures', ({ world, lines }, { onCleanup }) => {
    const { config, database, clock } = world
    const log = createLog('info', { write: (line: string) => lines.push(line) })
    const signInFailuresFlushMs = 60 * MINUTE // here it is the test that says when
    const deps = { config, database, log, now: clock.now, webDir: undefined, signInFailuresFlushMs }
    const failures = createSignInFailures(deps)
    onCleanup(failures.close)
    return failures
  })

const told = async (ada: Person) => {
  const events = eventsOf(await peopleAs(ada.call).audit())
  return events.filter(({ action }) => action === 'USER_SIGN_IN_FAILED')
}

it('a wrong password is recorded in the audit log of the personal account, with its source', async ({ world, ada }) => {
  const headers = { 'x-forwarded-for': HERE }
  await world.post('/auth/sign-in', { email: ada.email, password: 'not the passphrase' }, { headers })
  await vi.waitUntil(async () => (await told(ada)).length > 0, { timeout: 10_000 })
  expect(await told(ada)).toEqual([
    {
      action: 'USER_SIGN_IN_FAILED',
      subject: 'Ada',
      details: `from ${HERE}: 1 with a wrong password`,
      actor: { kind: 'SYSTEM', name: 'somebody' },
    },
  ])
})

it('several for one account and source are one entry in 15 minutes, with their number', async ({
  world,
  ada,
  failures,
}) => {
  for (let i = 0; i < 3; i++) failures.note(ada.email, HERE, 'wrong')
  await failures.flush()
  for (let i = 0; i < 100; i++) failures.note(ada.email, HERE, i < 2 ? 'wrong' : 'too early')
  failures.note(ada.email, '198.51.100.1', 'wrong')
  await failures.flush()
  world.clock.advance(15 * MINUTE - 1)
  await failures.flush()
  expect(await told(ada)).toHaveLength(2)
  world.clock.advance(1)
  await failures.flush()
  await failures.flush()
  expect((await told(ada)).map(({ details }) => details)).toEqual([
    `from ${HERE}: 2 with a wrong password, 98 refused as too many`,
    'from 198.51.100.1: 1 with a wrong password',
    `from ${HERE}: 3 with a wrong password`,
  ])
})

it('pending ones are written when the server stops', async ({ ada, failures }) => {
  failures.note(ada.email, HERE, 'wrong')
  await failures.flush()
  failures.note(ada.email, HERE, 'wrong')
  await failures.close()
  expect(await told(ada)).toHaveLength(2)
})

it('unknown addresses are logged by source and number, and not stored', async ({ world, failures, lines }) => {
  for (let i = 0; i < 3; i++) failures.note(`nobody-${i}@example.com`, HERE, 'wrong')
  world.clock.advance(SECOND)
  await failures.flush()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ source: HERE, addresses: 3, tries: 3 }])
  expect(lines.join()).not.toContain('@example.com')
  expect(await world.storage.dump()).not.toContain('nobody-1@example.com')
})
