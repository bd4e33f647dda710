import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate as nextImmediates } from 'node:timers/promises'
import { MessageChannel } from 'node:worker_threads'
import { expect, it as plain } from 'vitest'
import { newMigratedStorage } from '../../test/support/world/storage.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/open.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import { loggingRevocations } from '../db/revocations.ts'
import { createLog } from '../lib/log.ts'
import { Ledger } from './ledger.ts'
import { LedgerFile } from './ledger-file.ts'
import { type Sides, synchronize } from './synchronize.ts'

/*
 * Two processes on one ledger, one of which still uses the database from before a restore.
 */

const ENDS = { kind: 'KEY', organizationId: 'acme', subject: 'the hash of a secret', endsAt: 1 } as const

/** A database and its ledger, which another process has open too. */
const it = plain
  .extend('storage', () => newMigratedStorage())
  .extend('portal', async ({ storage }, { onCleanup }) => {
    const path = storage.env['LEDGER'] ?? join(storage.env['DATA_DIR'] ?? '', 'revoked.db')
    const plainDatabase = await openDatabase(readConfig(storage.env))
    const ledger = new Ledger(path, createLog('silent', { write: () => {} }))
    const database = loggingRevocations(plainDatabase, ledger)
    const sides: Sides = { database: plainDatabase, ledger, identify: () => '', origin: 'http://localhost' }
    await synchronize(sides)
    const others = new LedgerFile(path)
    onCleanup(async () => {
      others.close()
      ledger.close()
      await plainDatabase.close()
      await storage.remove()
    })
    return { database, sides, others, revoked: () => database.read.selectFrom('revocation').selectAll().execute() }
  })

const nextRow = (others: LedgerFile, row: Pick<RevocationTable, 'kind' | 'incarnation'>): RevocationTable => {
  return { ...ENDS, ...row, sequence: 1 + (others.head()?.sequence ?? 0) }
}

/** Something arrives before the next immediates, as requests do that the event loop reads. */
async function arrival(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  port2.postMessage('')
  await once(port1, 'message')
  port1.close()
}

it('C11: what arrives after another process has written to the ledger is compared with that', async ({ portal }) => {
  const { sides, others } = portal
  await nextImmediates() // in which calls are served, and with them the ledger is read
  const before = sides.ledger.head()
  const added = nextRow(others, { kind: 'INCARNATION', incarnation: 7 })
  others.add(7, [added])
  await arrival()
  expect(before?.sequence).toBeLessThan(added.sequence)
  expect(sides.ledger.head()).toEqual({ incarnation: 7, sequence: added.sequence })
})

it('a revoke in a database that has been replaced since is not answered, and is compared again', async ({ portal }) => {
  const { database, sides, others } = portal
  const revoke = database.transaction(async (db) => {
    db.recordRevocations([ENDS])
    others.add(7, [nextRow(others, { kind: 'INCARNATION', incarnation: 7 })]) // by the process with the new database
  })
  await expect(revoke).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(others.rowsSince(0, 10)).toContainEqual(expect.objectContaining(ENDS))
  expect(others.agreed()).toMatchObject({ incarnation: 0 })

  await synchronize(sides)
  expect(others.agreed()).toMatchObject(
    await database.read.selectFrom('revocationState').select('incarnation').executeTakeFirstOrThrow(),
  )
})

it('what is added to the ledger while it is compared ends in the database too', async ({ portal }) => {
  const { database, sides, others, revoked } = portal
  const { incarnation = 0 } = others.head() ?? {}
  const lost = nextRow(others, { kind: 'KEY', incarnation })
  others.add(incarnation, [lost])
  const late = { ...lost, subject: 'another hash' }
  const newIncarnation = (before: number) => {
    others.add(before, [late]) // by a process with the old database, which then answers
    return before + 1
  }
  database.point.doubt()
  await synchronize({ ...sides, newIncarnation })
  const subjects = (await revoked()).map(({ subject }) => subject)
  expect(subjects).toEqual(expect.arrayContaining([lost.subject, late.subject]))
})

it('a database that went back begins a new incarnation: whoever still uses the one from before is not answered', async ({
  portal,
}) => {
  const { database, sides, others } = portal
  const { incarnation = 0 } = others.head() ?? {}
  others.add(incarnation, [nextRow(others, { kind: 'KEY', incarnation })]) // which the database has lost
  database.point.doubt()
  await synchronize(sides)
  expect(others.add(incarnation, [nextRow(others, { kind: 'KEY', incarnation })])).toBe('superseded')
})
