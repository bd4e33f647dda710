import { Kysely, PostgresAdapter } from 'kysely'
import { LRUCache } from 'lru-cache'
import { NO_ORGANIZATION } from '../connection-waits.ts'
import { runDirectly } from '../prepared.ts'
import type { Db, Tables } from '../tables.ts'
import { readingDialect } from './driver.ts'
import type { Rows, SharedReads } from './shared-reads.ts'

const MAX_READERS = 1000

type ReadAlone = (
  text: string,
  parameters: readonly unknown[],
  organizationId: string,
) => Promise<{ rows: Rows; count: number }>

interface Readers {
  readonly ofNobody: Db
  /** Reads for one organization. */
  of(organizationId: string): Db
}

/** Prepared queries, which are short, are read on the shared connection if there is one; all others alone. */
export function createReaders(readAlone: ReadAlone, shared: SharedReads | undefined): Readers {
  const adapter = new PostgresAdapter() // one for all of them, since it caches compiled queries
  const organizations = new WeakMap<Db, string>()
  const create = (organizationId: string): Db => {
    const run = (text: string, parameters: readonly unknown[] = []) => readAlone(text, parameters, organizationId)
    const db = new Kysely<Tables>({ dialect: readingDialect(run, adapter) })
    organizations.set(db, organizationId)
    return db
  }
  if (shared) {
    runDirectly(adapter, (text) => async (values, db) => {
      const organizationId = organizations.get(db) ?? NO_ORGANIZATION
      return { rows: await shared.read({ text, values, organizationId }) }
    })
  }
  const readers = new LRUCache<string, Db>({ max: MAX_READERS, memoMethod: create })
  return { ofNobody: create(NO_ORGANIZATION), of: (organizationId) => readers.memo(organizationId) }
}
