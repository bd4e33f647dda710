import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { startWithCommandLine } from '../../test/support/world/command-line.ts'
import { inOwnWorld } from '../../test/support/world/fixtures.ts'
import type { World } from '../../test/support/world/world.ts'

/*
 * A backup that SQLite itself writes into the database of a running portal, as `.restore` of its shell does: the files stay the same.
 */

const it = inOwnWorld(startWithCommandLine)

async function copy(from: string, to: string): Promise<void> {
  const source = new DatabaseSync(from)
  await backup(source, to)
  source.close()
}

const filesOf = ({ config: { dataDir } }: World) => [join(dataDir, 'portal.db'), join(dataDir, 'backup.db')] as const

const REVOKE = 'mutation ($id: ID!) { revokeApiKey(id: $id) { durable } }'

it('K9, C11: a key that an Admin has revoked is not accepted again, and the others are', async ({ world, acme }) => {
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  const [file, copied] = filesOf(world)
  await copy(file, copied)
  expect((await acme.call(REVOKE, { id: revoked.id })).data).toEqual({ revokeApiKey: { durable: true } })
  await copy(copied, file)
  expect(await world.accepts(revoked.secret)).toBe(false)
  await expect.poll(() => world.accepts(kept.secret)).toBe(true)
  expect(await world.accepts(revoked.secret)).toBe(false)
})

it('K9, C11: nor is one that the command line has revoked, of which the portal has not heard', async ({
  world,
  acme,
}) => {
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  const [file, copied] = filesOf(world)
  await copy(file, copied)
  expect(await world.portal.run(['key', 'revoke', revoked.id, '--yes'])).toMatchObject({ code: 0 })
  await copy(copied, file)
  expect(await world.accepts(revoked.secret)).toBe(false)
  await expect.poll(() => world.accepts(kept.secret)).toBe(true)
})
