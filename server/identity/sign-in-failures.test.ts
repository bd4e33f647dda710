import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { eventsOf, peopleAs } from '../../test/support/people.ts'
import { type Person, startWorld, type World } from '../../test/support/world.ts'
import { MINUTE, SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { createSignInFailures, type SignInFailures } from './sign-in-failures.ts'

const HERE = '203.0.113.7'

let world: World
let ada: Person
let failures: SignInFailures
let lines: string[]

beforeEach(async () => {
  world = await startWorld({ env: { TRUST_PROXY: 'on' }, tuning: { signInFailuresFlushMs: 5 } })
  ada = await world.signUp('Ada')
  lines = []
  const { config, database, clock } = world
  const log = createLog('info', { write: (line: string) => lines.push(line) })
  const signInFailuresFlushMs = 60 * MINUTE // here it is the test that says when
  failures = createSignInFailures({ config, database, log, now: clock.now, webDir: undefined, signInFailuresFlushMs })
})
afterEach(async () => {
  await failures.close()
  await world.close()
})

const told = async () => {
  const events = eventsOf(await peopleAs(ada.call).audit())
  return events.filter(({ action }) => action === 'user.sign_in_failed')
}

it('a wrong password is recorded in the audit log of the personal account, with its source', async () => {
  const headers = { 'x-forwarded-for': HERE }
  await world.post('/auth/sign-in', { email: ada.email, password: 'not the passphrase' }, { headers })
  await vi.waitUntil(async () => (await told()).length > 0, { timeout: 10_000 })
  expect(await told()).toEqual([
    {
      action: 'user.sign_in_failed',
      subject: 'Ada',
      details: `from ${HERE}: 1 with a wrong password`,
      actor: { kind: 'SYSTEM', name: 'somebody' },
    },
  ])
})

it('several for one account and source are one entry in 15 minutes, with their number', async () => {
  for (let i = 0; i < 3; i++) failures.note(ada.email, HERE, 'wrong')
  await failures.flush()
  for (let i = 0; i < 100; i++) failures.note(ada.email, HERE, i < 2 ? 'wrong' : 'too early')
  failures.note(ada.email, '198.51.100.1', 'wrong')
  await failures.flush()
  world.clock.advance(15 * MINUTE - 1)
  await failures.flush()
  expect(await told()).toHaveLength(2)
  world.clock.advance(1)
  await failures.flush()
  await failures.flush()
  expect((await told()).map(({ details }) => details)).toEqual([
    `from ${HERE}: 2 with a wrong password, 98 refused as too many`,
    'from 198.51.100.1: 1 with a wrong password',
    `from ${HERE}: 3 with a wrong password`,
  ])
})

it('pending ones are written when the server stops', async () => {
  failures.note(ada.email, HERE, 'wrong')
  await failures.flush()
  failures.note(ada.email, HERE, 'wrong')
  await failures.close()
  expect(await told()).toHaveLength(2)
})

it('unknown addresses are logged by source and number, and not stored', async () => {
  for (let i = 0; i < 3; i++) failures.note(`nobody-${i}@example.com`, HERE, 'wrong')
  world.clock.advance(SECOND)
  await failures.flush()
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ source: HERE, addresses: 3, tries: 3 }])
  expect(lines.join()).not.toContain('@example.com')
  expect(await world.storage.dump()).not.toContain('nobody-1@example.com')
})
