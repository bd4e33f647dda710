import { type CompiledQuery, Kysely, type QueryResult, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { FairQueue } from '../../lib/fair-queue.ts'
import type { HeavyReads, Requester } from '../heavy-reads.ts'
import type { Db, Tables } from '../tables.ts'
import { rowMaker } from './driver.ts'
import { SqliteQueryCompiler } from './query-compiler.ts'
import { SqliteReader } from './reader.ts'
import { withinTime } from './time-limit.ts'

/** Threads for heavy reads: started when first needed, replaced when one dies. */
export class SqliteReaders {
  readonly #path: string
  readonly #limits: HeavyReads
  readonly #queue: FairQueue
  readonly #all = new Set<SqliteReader>()
  readonly #idle: SqliteReader[] = []
  readonly #adapter = new SqliteAdapter() // shared, since it caches compiled queries

  constructor(path: string, limits: HeavyReads) {
    this.#path = path
    this.#limits = limits
    this.#queue = new FairQueue({
      atOnce: limits.threads,
      atOnceOfGroup: 1, // so that one organization leaves a thread to the others
      maxWaiting: limits.maxWaiting,
      maxWaitingOfGroup: limits.maxWaitingOfOrganization,
      patienceMs: limits.patienceMs,
    })
  }

  /** Reads for one organization. Its statements run one after the other, and organizations take turns. */
  for({ organizationId, isDisconnected }: Requester): Db {
    const run = (query: CompiledQuery) => this.#queue.run(organizationId, () => this.#run(query), isDisconnected)
    return new Kysely<Tables>({ dialect: this.#dialect(run), plugins: [withinTime] })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((reader) => reader.close()))
  }

  async #run({ sql, parameters }: CompiledQuery): Promise<QueryResult<never>> {
    const reader = this.#take()
    try {
      const { columns, rows } = await reader.ask({ sql, parameters, withinMs: this.#limits.statementMs })
      return { rows: rows.map(rowMaker(columns)) as never[] } // Kysely knows the type of the rows
    } finally {
      if (reader.isOpen) this.#idle.push(reader)
      else this.#all.delete(reader)
    }
  }

  #take(): SqliteReader {
    for (let reader = this.#idle.pop(); reader; reader = this.#idle.pop()) {
      if (reader.isOpen) return reader
      this.#all.delete(reader)
    }
    const opened = new SqliteReader(this.#path)
    this.#all.add(opened)
    return opened
  }

  #dialect(run: (query: CompiledQuery) => Promise<QueryResult<never>>) {
    const connection = { executeQuery: run, streamQuery: notHere }
    return {
      createDriver: () => ({
        init: async () => {},
        acquireConnection: async () => connection,
        beginTransaction: notHere,
        commitTransaction: notHere,
        rollbackTransaction: notHere,
        releaseConnection: async () => {},
        destroy: async () => {},
      }),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => this.#adapter,
      createIntrospector: (db: Kysely<never>) => new SqliteIntrospector(db),
    }
  }
}

function notHere(): never {
  throw new Error('Heavy reads are single statements.')
}
