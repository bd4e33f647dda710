import { chmodSync, closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { expectFound } from '../../test/support/process/examined.ts'
import { changeFile, inFolder, type Plant, stoppedPortal } from '../../test/support/process/stopped-portal.ts'
import { readConfig } from '../config.ts'
import { MIGRATIONS } from '../db/migrate.ts'
import { openReadOnlyDatabase } from './read-only-database.ts'
import type { Level } from './result.ts'

const PAGE = 4096

const changed = (name: string, ...statements: string[]) =>
  inFolder((folder) => changeFile(join(folder, name), ...statements))

const damaged = inFolder((folder) => {
  const path = join(folder, 'portal.db')
  const middle = Math.floor(statSync(path).size / 2 / PAGE) * PAGE
  const file = openSync(path, 'r+')
  for (let page = 0; page < 10; page++) writeSync(file, 'damage '.repeat(50), middle + page * PAGE)
  closeSync(file)
})

const logLeftBehind = inFolder((folder) => writeFileSync(join(folder, 'portal.db-wal'), 'log', { mode: 0o600 }))

const ledgerRemoved = inFolder((folder) => {
  rmSync(join(folder, 'revoked.db'))
  changeFile(join(folder, 'portal.db'), 'update "revocationState" set "sequence" = 5')
})

const secretChanged: Plant = (folder) => {
  changeFile(join(folder, 'portal.db'), `insert into "secretFingerprint" values ('00ff', ${Date.now()})`)
  return { env: { DATA_DIR: folder, PORTAL_SECRET: 'x'.repeat(40) } }
}

const unsafeSqlite: Plant = (folder) => ({ env: { DATA_DIR: folder }, options: { sqliteVersions: ['3.51.2'] } })

const AHEAD = `insert into "migration" values (99, 'of the future', 0)`
const BEHIND = `delete from "migration" where "version" = ${MIGRATIONS.length}`
const REVOKED = `insert into "revocation" values (7, 1, 'KEY', 'acme', 'hash', 0)`
const ANOTHERS = `update "agreed" set "installation" = 'another'`
const MORE_REVOKED = 'update "revocationState" set "sequence" = "sequence" + 3'
const HELD = 'update "revocationState" set "heldSince" = 1'

const forAll = inFolder((folder) => chmodSync(join(folder, 'portal.db'), 0o644))
const noLedger = inFolder((folder) => writeFileSync(join(folder, 'revoked.db'), 'garbage '.repeat(1000)))
const shortSecret = inFolder((folder) => writeFileSync(join(folder, 'portal.secret'), 'short', { mode: 0o600 }))

const PLANTED: [what: string, plant: Plant, check: string, level: Level, words: RegExp][] = [
  ['a database that others can read', forAll, 'file modes', 'failure', /can read .*portal\.db/],
  ['a SQLite that loses writes', unsafeSqlite, 'SQLite version', 'failure', /can lose a committed write/],
  ['a damaged database', damaged, 'SQLite integrity', 'failure', /is damaged/],
  ['a write-ahead log left behind', logLeftBehind, 'SQLite integrity', 'warning', /without its index/],
  ['a newer database', changed('portal.db', AHEAD), 'migrations', 'failure', /newer than this program/],
  ['an older database', changed('portal.db', BEHIND), 'migrations', 'warning', /1 migrations are to be done/],
  ['a ledger that is no ledger', noLedger, 'ledger', 'failure', /is damaged or is not a ledger/],
  ['the ledger of another portal', changed('revoked.db', ANOTHERS), 'ledger', 'failure', /belongs to another portal/],
  ['a ledger that is behind', changed('portal.db', MORE_REVOKED), 'ledger', 'warning', /is 3 revocations behind/],
  ['a restored database', changed('revoked.db', REVOKED), 'ledger', 'warning', /the database does not have/],
  ['a ledger that was removed', ledgerRemoved, 'ledger', 'warning', /There is no ledger/],
  ['keys that are held', changed('portal.db', HELD), 'held keys', 'failure', /No key is accepted/],
  ['a damaged secret', shortSecret, 'PORTAL_SECRET', 'failure', /is damaged/],
  ['another secret than before', secretChanged, 'PORTAL_SECRET', 'failure', /uses another PORTAL_SECRET/],
]

describe('doctor finds', () => {
  it.each(PLANTED)('%s', async (_what, plant, check, level, words) => {
    await expectFound(plant(await stoppedPortal()), check, level, words)
  })
})

it('the connection refuses to write, and works afterwards', async () => {
  const database = await openReadOnlyDatabase(readConfig({ DATA_DIR: await stoppedPortal() }))
  await expect(database?.query('create table "written" ("a" integer)')).rejects.toThrow(/readonly/)
  expect(await database?.query('select 1 as "one"')).toEqual([{ one: 1 }])
  database?.close()
})
