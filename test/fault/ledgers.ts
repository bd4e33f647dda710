import { join } from 'node:path'
import { temporaryFolder } from './processes.ts'

/** One that all replicas reach, or one for each of them. */
export type Ledgers = 'shared' | 'own'

/** Where replicas keep their ledgers. */
export interface LedgerFolder {
  /** The path of the ledger of a replica. */
  path(place: number): string
  remove(): void
}

export function createLedgerFolder(ledgers: Ledgers): LedgerFolder {
  const folder = temporaryFolder()
  return {
    path: (place) => join(folder.path, ledgers === 'shared' ? 'revoked.db' : `revoked-${place + 1}.db`),
    remove: folder.remove,
  }
}
