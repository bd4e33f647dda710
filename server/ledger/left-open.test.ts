import { closeSync, cpSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { insertExpiredKeys } from '../../test/support/world/inserted-keys.ts'
import { newMigratedStorage } from '../../test/support/world/storage.ts'
import { startWorld, type World } from '../../test/support/world/world.ts'

/*
 * A portal that was killed leaves a write-ahead log, which SQLite applies to whatever has been copied into the database
 * since then: a mixture of two states, whose last rows may be the right ones.
 */

const it = plain
  .extend('storage', () => newMigratedStorage())
  .extend('world', async ({ storage }, { onCleanup }) => {
    const world = await startWorld({ beside: { storage } })
    onCleanup(() => world.close().then(storage.remove))
    return world
  })
  .extend('startOn', ({ storage }) => (folder: string) => {
    const env = { ...storage.env, DATA_DIR: folder }
    return startWorld({ beside: { storage: { ...storage, env } } })
  })

/** The files as a portal that is killed at this moment leaves them. */
function killedCopy({ config: { dataDir } }: World): string {
  const folder = temporaryFolder()
  cpSync(dataDir, folder, { recursive: true, filter: (path) => !path.endsWith('.lock') })
  return folder
}

const MEGABYTE = 1_000_000

const REVOKE = 'mutation ($ids: [ID!]!) { revokeApiKeys(input: { ids: $ids }) { durable } }'

it('K9, C11: a revoke of long ago that is missing in such a database is made again', async ({ world, startOn }) => {
  const acme = await world.organization('Acme', { admin: await world.signUp('Ada') })
  const [kept, revoked] = [await acme.generateKey(), await acme.generateKey()]
  const { database } = world
  const key = database.read.selectFrom('apiKey').selectAll().where('id', '=', revoked.id)
  const row = await key.executeTakeFirstOrThrow()
  await acme.call(REVOKE, { ids: [revoked.id] })
  await insertExpiredKeys(world, acme.id, 150)
  const others = await database.read.selectFrom('apiKey').select('id').where('label', 'like', 'k%').execute()
  const ids = others.map(({ id }) => id)
  await acme.call(REVOKE, { ids: ids.slice(0, 100) })
  await acme.call(REVOKE, { ids: ids.slice(100) })
  await database.transaction(async (db) => {
    await db.insertInto('apiKey').values(row).execute()
    await db.deleteFrom('revocation').where('subject', '=', Buffer.from(row.secretHash).toString('hex')).execute()
  })

  const next = await startOn(killedCopy(world))
  expect(await next.accepts(revoked.secret)).toBe(false)
  expect(await next.accepts(kept.secret)).toBe(true)
  await next.close()
})

it('C11: such a database is checked for damage, also one that is too large to be checked at every start', async ({
  world,
  startOn,
}) => {
  const write = (version: number, size: number) =>
    world.database.transaction((db) =>
      db
        .insertInto('migration')
        .values({ version, name: 'x'.repeat(size), appliedAt: 0 })
        .execute(),
    )
  for (let version = 900; version < 940; version++) await write(version, MEGABYTE)
  await write(990, 1) // begins the log anew
  const folder = killedCopy(world)
  const file = openSync(join(folder, 'portal.db'), 'r+')
  writeSync(file, Buffer.alloc(MEGABYTE, 7), 0, MEGABYTE, 20 * MEGABYTE)
  closeSync(file)
  await expect(startOn(folder)).rejects.toThrow(/is damaged .+ portal\.db-wal/)
})
