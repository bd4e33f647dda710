import { expect } from 'vitest'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { keysOfTables, TABLE_KEYS } from './completeness.ts'

const it = inOwnWorld(() => startWorld())

it('the keys of the tables are those of a migrated database', async ({ world }) => {
  const found = Object.fromEntries(await keysOfTables(world.database.read))
  expect({ ...found, revocationState: 0, backupSchedule: 0 }).toEqual(TABLE_KEYS)
})
