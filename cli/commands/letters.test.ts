import { afterAll, beforeAll, expect, it } from 'vitest'
import { doChores } from '../../server/chores.ts'
import { DAY } from '../../server/lib/clock.ts'
import { createLog } from '../../server/lib/log.ts'
import { commandLineOf } from '../../test/support/command-line.ts'
import { type Person, startWorld, type World } from '../../test/support/world.ts'

let world: World
let portal: ReturnType<typeof commandLineOf>
let ada: Person

beforeAll(async () => {
  world = await startWorld({ now: Date.now }) // the command line has the clock of the machine
  portal = commandLineOf(world)
  ada = await world.signUp('Ada')
})
afterAll(() => world.close())

it('shows the letters of one organization, and those that are kept since nothing sends them as such', async () => {
  const acme = await world.organization('Acme Edge', { admin: ada })
  const other = await world.organization('Other', { admin: ada })
  await world.generateKey(ada, acme, { label: 'ci', expiresAt: new Date(Date.now() + 20 * DAY).toISOString() })
  const aged = { createdAt: Date.now() - 40 * DAY }
  await world.database.transaction((db) => db.updateTable('apiKey').set(aged).execute())
  const { database, config } = world
  await doChores({ database, config, now: Date.now, log: createLog('silent'), webDir: undefined })

  const letters = await portal.answerOf<object[]>(['org', 'letters', acme.slug])
  expect(letters).toMatchObject([
    { to: ada.email, subject: expect.stringContaining('API key ci of Acme Edge ends'), state: 'KEPT', sentAt: null },
  ])
  expect(await portal.answerOf(['org', 'letters', other.slug])).toEqual([])
})
