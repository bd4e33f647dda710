import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { canMount, smallDisk } from '../../../test/support/process/small-disk.ts'
import { OperatorError } from '../../lib/app-error.ts'
import { DiskFullError } from '../../lib/disk-full.ts'
import type { TransactionOptions } from '../database.ts'
import { migrate } from '../migrate.ts'
import { openSqlite } from './database.ts'

const KIB = 1024
const WAIT = { timeout: 30_000 }
const ROOM = { bytes: 512 * KIB, stepBytes: 64 * KIB, checkEveryMs: 5 }

/** A database on a small disk. */
async function openOnSmallDisk() {
  const disk = smallDisk(4096)
  const path = join(disk.folder, 'portal.db')
  const open = () => {
    const database = openSqlite(disk.folder, { room: ROOM })
    onTestFinished(() => database.close().catch(() => undefined)) // closed already
    const write = (version: number, { kib = 1, ...options }: TransactionOptions & { kib?: number } = {}) =>
      database.transaction(
        (db) =>
          db
            .insertInto('migration')
            .values({ version, name: 'x'.repeat(kib * KIB), appliedAt: 0 })
            .execute(),
        options,
      )
    const versions = async () => {
      const rows = await database.read.selectFrom('migration').select('version').where('version', '>=', 100).execute()
      return rows.map(({ version }) => version)
    }
    return { database, write, versions }
  }
  const reserved = () => statSync(`${path}.reserve`).size
  const isWhole = async () => {
    await vi.waitFor(() => expect(reserved()).toBe(ROOM.bytes), WAIT)
    await yieldToEventLoop() // a check that is under way ends: it looks for room once more
  }
  const opened = open()
  await migrate(opened.database)
  await isWhole()
  return { ...opened, disk, path, open, reserved, isWhole }
}

const withoutSmallDisk = !canMount

it.skipIf(withoutSmallDisk)('C11: on a full disk only a transaction that may use the reserve succeeds', async () => {
  const { disk, path, write, versions } = await openOnSmallDisk()
  disk.fill()
  const refused = await write(100).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(DiskFullError)
  expect(refused).toMatchObject({ code: 'UNAVAILABLE', message: expect.not.stringContaining(disk.folder) })
  expect(refused).toMatchObject({ cause: { message: expect.stringContaining(path) } })
  await write(101, { usesReserve: 'revoke' })
  await expect(write(102)).rejects.toThrow(DiskFullError) // it gets nothing of what the one before has released
  expect(await versions()).toEqual([101])
})

it.skipIf(withoutSmallDisk)(
  'C11: releases as many steps as a transaction needs, and no more than are left',
  async () => {
    const { disk, write, versions, reserved } = await openOnSmallDisk()
    disk.fill()
    await write(100, { usesReserve: 'revoke', kib: 200 })
    expect(reserved()).toBeGreaterThan(200 * KIB)
    await expect(write(101, { usesReserve: 'revoke', kib: 600 })).rejects.toThrow(DiskFullError)
    await write(102, { usesReserve: 'revoke' }) // what did not help was taken back
    expect(await versions()).toEqual([100, 102])
  },
)

it.skipIf(withoutSmallDisk)('C11: signing in leaves half of the reserve to revokes', async () => {
  const { disk, write, reserved } = await openOnSmallDisk()
  disk.fill()
  const signIns = async () => {
    for (let version = 100; version < 200; version++) await write(version, { usesReserve: 'sign-in', kib: 20 })
  }
  await expect(signIns()).rejects.toThrow(DiskFullError)
  expect(reserved()).toBe(ROOM.bytes / 2)
  await write(200, { usesReserve: 'revoke' })
})

it.skipIf(withoutSmallDisk)(
  'does not answer ready on a full disk, and fills the reserve when there is room',
  async () => {
    const { database, disk, write, isWhole } = await openOnSmallDisk()
    disk.fill()
    await database.ping() // nobody has noticed
    await expect(write(100)).rejects.toThrow(DiskFullError)
    await expect(database.ping()).rejects.toThrow(DiskFullError)
    await write(101, { usesReserve: 'revoke' })
    await expect(database.ping()).rejects.toThrow(DiskFullError)
    disk.makeRoom()
    await vi.waitFor(() => database.ping(), WAIT)
    await isWhole()
    await write(102)
  },
)

it.skipIf(withoutSmallDisk)('C11: a full disk can be opened, and reading needs no room', async () => {
  const { database, disk, open } = await openOnSmallDisk()
  await database.close()
  disk.fill()
  const again = open()
  await again.write(100, { usesReserve: 'revoke' })
  expect(await again.versions()).toEqual([100])
  disk.fill() // what is left of a step
  await expect(again.write(101)).rejects.toThrow(DiskFullError)
})

it.skipIf(withoutSmallDisk)(
  'says that the disk is full if there is no reserve left to open the file with',
  async () => {
    const disk = smallDisk(1024)
    disk.fill()
    expect(() => openSqlite(disk.folder, { room: ROOM })).toThrow(OperatorError)
    expect(() => openSqlite(disk.folder, { room: ROOM })).toThrow(/The disk that holds .*portal\.db is full/)
  },
)

it.skipIf(withoutSmallDisk)('a failure that is not about room is not repeated', async () => {
  const { database } = await openOnSmallDisk()
  let runs = 0
  const failing = database.transaction(
    async (db) => {
      runs++
      await sql`insert into nowhere values (1)`.execute(db)
    },
    { usesReserve: 'revoke' },
  )
  await expect(failing).rejects.toThrow(/no such table/)
  expect(runs).toBe(1)
})
