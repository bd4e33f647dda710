import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../test/support/postgres/postgres-server.ts'
import { askOnce } from '../../test/support/postgres/postgres-sql.ts'
import { examinedBy, expectFound, failuresOf } from '../../test/support/process/examined.ts'
import { cleanUpAfterFile, temporaryFolder } from '../../test/support/process/portal-process.ts'
import { PORTAL_SECRET } from '../../test/support/world/storage.ts'
import { readConfig } from '../config.ts'
import { openWithLedger } from '../ledger/open-ledger.ts'
import { MINUTE } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { noteSecret } from '../mail/secret-fingerprint.ts'
import { openReadOnlyDatabase } from './read-only-database.ts'

let server: PostgresServer
let databases = 0
/** For tests that do not change it. */
let sound: Awaited<ReturnType<typeof soundPortal>>

beforeAll(async () => {
  server = await startPostgres({ durable: true })
  sound = await soundPortal()
})
afterAll(() => server.close())

const ask = (text: string, url = server.url()) => askOnce(url)((sql) => sql.unsafe(text))
const unsetLater =
  (...settings: string[]) =>
  async () => {
    for (const name of settings) await ask(`alter system reset ${name}`)
    await ask('select pg_reload_conf()')
  }

const cleanUp = cleanUpAfterFile()

/** A server setting, for one test. */
async function withSetting(name: string, value: string, work: () => Promise<void>): Promise<void> {
  await ask(`alter system set ${name} = ${value}`)
  await ask('select pg_reload_conf()')
  await work().finally(unsetLater(name))
}

/** What the command line of the server sets, for one test. */
async function withCommit(value: string, work: () => Promise<void>): Promise<void> {
  await ask(`alter database ${sound.name} set synchronous_commit = ${value}`)
  await work().finally(() => ask(`alter database ${sound.name} reset synchronous_commit`))
}

/** A portal that has been started once, by a role that owns its database and nothing else. */
async function soundPortal() {
  const name = `portal${++databases}`
  await ask(`create role ${name} login password 'pw'`)
  await ask(`create database ${name} owner ${name}`)
  const url = `postgres://${name}:pw@127.0.0.1:${server.port}/${name}`
  const folder = temporaryFolder(cleanUp)
  const env = {
    DATABASE_URL: url,
    PORTAL_SECRET,
    LEDGER: join(folder, 'ledger', 'revoked.db'),
    DATA_DIR: join(folder, 'data'),
  }
  const config = readConfig(env)
  const { database } = await openWithLedger(config, { log: createLog('silent', process.stderr) })
  await noteSecret(database, config, database.now())
  await database.close()
  return { env, name, url, folder, admin: server.url(name) }
}

it('an installation on PostgreSQL that is sound has no failure, and is not changed', async () => {
  const { env, url, folder } = sound
  const state = () =>
    ask('select pg_current_xact_id_if_assigned() as none, (select max(version) from migration) as version', url)
  const before = [await state(), readdirSync(join(folder, 'ledger'))]
  const found = await examinedBy({ env })
  expect(failuresOf(found)).toEqual([])
  const warnings = [...found].filter(([, { level }]) => level === 'warning').map(([check]) => check)
  expect(warnings).toEqual(['backup', 'BASE_URL'])
  expect([await state(), readdirSync(join(folder, 'ledger'))]).toEqual(before)
  expect(existsSync(env.DATA_DIR)).toBe(false)
})

it('the connection refuses to write, and works afterwards', async () => {
  const database = await openReadOnlyDatabase(readConfig(sound.env))
  await expect(database?.query('create table "written" ("a" int)')).rejects.toThrow(/read-only transaction/)
  expect(await database?.query('select 1 as "one"')).toEqual([{ one: 1 }])
  database?.close()
})

it('an empty database is sound, and stays empty', async () => {
  const { env } = sound
  const url = await server.createDatabase('empty')
  const folder = temporaryFolder()
  expect(
    failuresOf(await examinedBy({ env: { ...env, DATABASE_URL: url, LEDGER: join(folder, 'revoked.db') } })),
  ).toEqual([])
  expect(await ask(`select 1 from pg_tables where schemaname = 'public'`, url)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
})

describe('of the server doctor finds', () => {
  it('that it cannot be reached, and that the password or the database is wrong', async () => {
    const { env, url } = sound
    const found = (DATABASE_URL: string, words: RegExp) =>
      expectFound({ env: { ...env, DATABASE_URL } }, 'PostgreSQL server', 'failure', words)
    await found(url.replace(`:${server.port}`, ':1'), /cannot be reached/)
    await found(url.replace(':pw@', ':wrong@'), /does not accept the user/)
    await found(`${url}-none`, /has no database/)
  })

  it('that full_page_writes is off', async () => {
    await withSetting('full_page_writes', 'off', () =>
      expectFound(sound, 'PostgreSQL durability', 'failure', /^full_page_writes is off/),
    )
  })

  it('that fsync is off', async () => {
    const env = { ...sound.env, DATABASE_URL: inject('postgres')?.url ?? '', LEDGER: join(temporaryFolder(), 'ledger') }
    await expectFound({ env }, 'PostgreSQL durability', 'failure', /^fsync is off/) // as the server of all tests is started
  })

  it('that synchronous_commit is off', async () => {
    await withCommit('off', () => expectFound(sound, 'PostgreSQL durability', 'warning', /^synchronous_commit is off/))
  })

  it('that more connections are wanted than there are', async () => {
    const { env, url } = sound
    const DATABASE_URL = `${url}?connection_limit=300`
    await expectFound({ env: { ...env, DATABASE_URL } }, 'PostgreSQL server', 'failure', /may open 301 connections/)
    const asMany = { ...env, WORKERS: '64', DATABASE_URL: `${url}?connection_limit=300` }
    await expectFound({ env: asMany }, 'PostgreSQL server', 'failure', /may open 320 connections/)
  })

  it('another time', async () => {
    const { env } = sound
    const options = { now: () => Date.now() - MINUTE }
    await expectFound({ env, options }, 'clock', 'warning', /are (59|60)\.\d s apart/)
  })

  it('that a synchronous standby is missing, that none is synchronous, and nothing if one is', async () => {
    const { env, admin } = sound
    await withSetting('synchronous_standby_names', `'standby'`, () =>
      expectFound({ env }, 'PostgreSQL standbys', 'failure', /no such standby is connected/),
    )
    const standby = await server.makeStandby()
    try {
      await expect.poll(async () => (await ask('select 1 from pg_stat_replication')).length).toBe(1)
      await expectFound({ env }, 'PostgreSQL standbys', 'warning', /No standby is synchronous/)
      const asSuperuser = { ...env, DATABASE_URL: admin }
      await withSetting('synchronous_standby_names', `'standby'`, async () => {
        const isSynchronous = `select 1 from pg_stat_replication where sync_state = 'sync'`
        await expect.poll(async () => (await ask(isSynchronous)).length).toBe(1)
        await expectFound({ env: asSuperuser }, 'PostgreSQL standbys', 'success', /1 of 1 standbys are synchronous/)
        await expectFound({ env }, 'PostgreSQL standbys', 'warning', /may not see which/)
        await withCommit('local', () =>
          expectFound({ env: asSuperuser }, 'PostgreSQL standbys', 'warning', /synchronous_commit is local/),
        )
      })
    } finally {
      await standby.close()
    }
  })
})

describe('of the role doctor finds', () => {
  it('that it may not use the tables', async () => {
    const { env, name, admin } = await soundPortal()
    await ask('alter table "apiKey" owner to postgres', admin)
    await expectFound(
      { env },
      'PostgreSQL rights',
      'failure',
      new RegExp(`The role ${name} may not use or migrate apiKey`),
    )
  })

  it('that it may not create tables', async () => {
    const { env, name } = sound
    await ask(`create database ${name}_foreign`)
    const url = env.DATABASE_URL.replace(/[^/]*$/, `${name}_foreign`)
    await expectFound({ env: { ...env, DATABASE_URL: url } }, 'PostgreSQL rights', 'failure', /may not create tables/)
  })

  it('that it is a superuser', async () => {
    const { env, admin } = sound
    await expectFound({ env: { ...env, DATABASE_URL: admin } }, 'PostgreSQL rights', 'warning', /is a superuser/)
  })

  it('that it may not tell one primary from another', async () => {
    const { env, admin } = await soundPortal()
    await ask('revoke execute on function pg_control_system() from public', admin)
    await expectFound({ env }, 'PostgreSQL rights', 'warning', /may not call pg_control_system/)
  })
})

describe('of replicas doctor finds', () => {
  it('that each has its own ledger, since LEDGER is unset', async () => {
    const { env } = await soundPortal()
    const { LEDGER, ...without } = env
    const config = readConfig(without)
    const { database } = await openWithLedger(config, { log: createLog('silent', process.stderr) })
    await database.close()
    await expectFound({ env: without }, 'ledger', 'warning', /^Level: one for each replica/)
  })

  it('that they have different secrets', async () => {
    const { env } = await soundPortal()
    const other = { ...env, PORTAL_SECRET: 'another secret, which is long enough' }
    await expectFound({ env: other }, 'PORTAL_SECRET', 'failure', /uses another PORTAL_SECRET than this command/)
    const config = readConfig(other)
    const { database } = await openWithLedger(config, { log: createLog('silent', process.stderr) })
    await noteSecret(database, config, database.now())
    await database.close()
    await expectFound({ env }, 'PORTAL_SECRET', 'failure', /^2 different secrets/)
  })
})
