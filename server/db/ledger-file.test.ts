import { join } from 'node:path'
import { expect, it } from 'vitest'
import { canMount, smallDisk } from '../../test/support/small-disk.ts'
import { LedgerFile } from './ledger-file.ts'
import type { RevocationTable } from './revocation-tables.ts'

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
