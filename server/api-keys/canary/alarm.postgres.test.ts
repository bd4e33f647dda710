import { expect } from 'vitest'
import { inWorld } from '../../../test/support/world/fixtures.ts'
import { codesOf, fieldOf } from '../../../test/support/world/people.ts'
import { PATIENT, untilItWaits } from '../../../test/support/world/waiting.ts'
import { startWorld } from '../../../test/support/world/world.ts'
import { raiseAlarm } from './alarm.ts'

const it = inWorld(() => startWorld({ timeouts: PATIENT }))

it('two replicas that notice a canary key at once send one email between them', async ({ world, acme }) => {
  const beside = await startWorld({ beside: world, timeouts: PATIENT })
  const generate = 'mutation { generateCanaryApiKey(label: "in the backup") { canaryApiKey { id } } }'
  const { canaryApiKey } = fieldOf<{ canaryApiKey: { id: string } }>(await acme.call(generate))
  const last = { at: world.clock.now(), address: '192.0.2.1', userAgent: 'thief' }
  const canary = { id: canaryApiKey.id, organizationId: acme.id }
  const alarmOn = ({ database }: typeof world) =>
    raiseAlarm(database, canary, { calls: 1, last, recorded: [last] }, world.url)
  const alarms = await world.database.transaction(async (db) => {
    await db.updateTable('canaryApiKey').set({ calls: 0 }).where('id', '=', canary.id).execute()
    const one = await untilItWaits(world, () => alarmOn(world))
    return [one, await untilItWaits(world, () => alarmOn(beside), { oneOf: 2 })]
  })
  await Promise.all(alarms.map(({ done }) => done))
  const emails = await acme.call('{ emails { totalCount } }')
  expect([codesOf(emails), fieldOf(emails)]).toEqual([[], { totalCount: 1 }])
  expect(fieldOf(await acme.call('{ canaryApiKeys { calls } }'))).toEqual([{ calls: 2 }])
  await beside.close()
})
