import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canMount, smallDisk } from '../../test/support/process/small-disk.ts'
import type { RevocationTable } from '../db/revocation-tables.ts'
import { LedgerFile } from './ledger-file.ts'

const rowOf = (sequence: number): RevocationTable => ({
  sequence,
  incarnation: 1,
  kind: 'MEMBERSHIP',
  organizationId: 'acme',
  subject: 'eve',
  endsAt: 0,
})

it.skipIf(!canMount)('C11: the ledger is opened and written on a full disk', () => {
  const disk = smallDisk(4096)
  const path = join(disk.folder, 'revoked.db')
  const before = new LedgerFile(path)
  before.add(1, [rowOf(1)])
  before.close()
  disk.fill()

  const ledger = new LedgerFile(path)
  for (let sequence = 2; sequence <= 20; sequence++) {
    disk.fill()
    ledger.add(1, [rowOf(sequence)])
  }
  expect(ledger.rowsSince(0, 100)).toHaveLength(20)
  ledger.close()
})

it.skipIf(!canMount)('C11: on a full disk it has room for thousands of revokes, one after the other', async () => {
  const disk = smallDisk(8192)
  const path = join(disk.folder, 'revoked.db')
  const ledger = new LedgerFile(path, { checkEveryMs: 1 })
  await expect.poll(() => statSync(`${path}.reserve`).size).toBe(2 * 1024 * 1024)
  for (let sequence = 1; sequence <= 2000; sequence++) {
    disk.fill()
    ledger.add(1, [rowOf(sequence)])
    if (sequence % 50 === 0) ledger.checkpoint() // as every second
  }
  expect(ledger.rowsSince(0, 3000)).toHaveLength(2000)
  ledger.close()
})
