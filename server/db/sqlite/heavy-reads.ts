import { type CompiledQuery, Kysely, type QueryResult } from 'kysely'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { type HeavyReads, type Requester, tooManyWaiting } from '../heavy-reads.ts'
import type { Db, Tables } from '../tables.ts'
import { sqliteDialect } from './dialect.ts'
import { rowMaker } from './driver.ts'
import type { OpenFiles } from './open-files.ts'
import { SqliteReader } from './reader.ts'
import { withinTime } from './time-limit.ts'

export interface SqliteReaders {
  /** Reads for one organization. Its statements run one after the other, and organizations take turns. */
  for(requester: Requester): Db
  close(): Promise<void>
}

/** Threads for heavy reads: started when first needed, replaced when one dies. */
export function createReaders(
  path: string,
  limits: HeavyReads,
  files?: Pick<OpenFiles, 'requireSameNow'>,
): SqliteReaders {
  const all = new Set<SqliteReader>()
  const idle: SqliteReader[] = []
  const limit = new ConcurrencyLimit({
    atOnce: limits.threads,
    atOnceOfGroup: 1, // so that one organization leaves a thread to the others
    maxWaiting: limits.maxWaiting,
    maxWaitingOfGroup: limits.maxWaitingOfOrganization,
    patienceMs: limits.patienceMs,
    refusal: tooManyWaiting,
  })

  async function run({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    const reader = take()
    try {
      const { columns, rows } = await reader.ask({ sql, parameters, withinMs: limits.statementMs })
      files?.requireSameNow() // the thread may have opened others
      return { rows: rows.map(rowMaker(columns)) }
    } finally {
      if (reader.isOpen) idle.push(reader)
      else all.delete(reader)
    }
  }

  function take(): SqliteReader {
    for (let reader = idle.pop(); reader; reader = idle.pop()) {
      if (reader.isOpen) return reader
      all.delete(reader)
    }
    const opened = new SqliteReader(path)
    all.add(opened)
    return opened
  }

  return {
    for({ organizationId, isDisconnected }) {
      const dialect = sqliteDialect((query) => limit.run(organizationId, () => run(query), isDisconnected))
      return new Kysely<Tables>({ dialect, plugins: [withinTime] })
    },
    close: async () => void (await Promise.all([...all].map((reader) => reader.close()))),
  }
}
