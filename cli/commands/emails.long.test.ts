import { expect } from 'vitest'
import { DAY } from '../../server/lib/clock.ts'
import { createLog } from '../../server/lib/log.ts'
import { runBackgroundJobs } from '../../server/process/background-jobs.ts'
import { startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inWorld } from '../../test/support/world/fixtures.ts'

const it = inWorld(() => startWithCommandLine({ now: Date.now })).extend(
  'portal',
  { scope: 'file' },
  ({ world }) => world.portal,
)

it('shows the emails of one organization, as stored when there is no mail server', async ({ world, portal, ada }) => {
  const acme = await world.organization('Acme Edge', { admin: ada })
  const other = await world.organization('Other', { admin: ada })
  await acme.generateKey({ label: 'ci', expiresAt: new Date(Date.now() + 20 * DAY).toISOString() })
  const aged = { createdAt: Date.now() - 100 * DAY }
  await world.database.transaction((db) => db.updateTable('apiKey').set(aged).execute())
  const { database, config } = world
  await runBackgroundJobs({ database, config, now: Date.now, log: createLog('silent'), webDir: undefined })

  const emails = await portal.answerOf<object[]>(['org', 'emails', acme.slug])
  expect(emails).toMatchObject([
    {
      to: ada.email,
      subject: expect.stringContaining('API key ci of Acme Edge expires on'),
      state: 'STORED',
      sentAt: null,
    },
  ])
  expect(await portal.answerOf(['org', 'emails', other.slug])).toEqual([])
})
