import { type CompiledQuery, Kysely, type QueryResult, SqliteAdapter, SqliteIntrospector } from 'kysely'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { type HeavyReads, type Requester, tooManyWaiting } from '../heavy-reads.ts'
import type { Db, Tables } from '../tables.ts'
import { rowMaker } from './driver.ts'
import type { OpenFiles } from './open-files.ts'
import { SqliteQueryCompiler } from './query-compiler.ts'
import { SqliteReader } from './reader.ts'
import { withinTime } from './time-limit.ts'

/** Threads for heavy reads: started when first needed, replaced when one dies. */
export class SqliteReaders {
  readonly #path: string
  readonly #files: Pick<OpenFiles, 'requireSameNow'> | undefined
  readonly #statementMs: number
  readonly #limit: ConcurrencyLimit
  readonly #all = new Set<SqliteReader>()
  readonly #idle: SqliteReader[] = []
  readonly #adapter = new SqliteAdapter() // shared, since it caches compiled queries

  constructor(path: string, limits: HeavyReads, files?: Pick<OpenFiles, 'requireSameNow'>) {
    this.#path = path
    this.#files = files
    this.#statementMs = limits.statementMs
    this.#limit = new ConcurrencyLimit({
      atOnce: limits.threads,
      atOnceOfGroup: 1, // so that one organization leaves a thread to the others
      maxWaiting: limits.maxWaiting,
      maxWaitingOfGroup: limits.maxWaitingOfOrganization,
      patienceMs: limits.patienceMs,
      refusal: tooManyWaiting,
    })
  }

  /** Reads for one organization. Its statements run one after the other, and organizations take turns. */
  for({ organizationId, isDisconnected }: Requester): Db {
    const run = (query: CompiledQuery) => this.#limit.run(organizationId, () => this.#run(query), isDisconnected)
    return new Kysely<Tables>({ dialect: this.#dialect(run), plugins: [withinTime] })
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((reader) => reader.close()))
  }

  async #run({ sql, parameters }: CompiledQuery): Promise<QueryResult<never>> {
    const reader = this.#take()
    try {
      const { columns, rows } = await reader.ask({ sql, parameters, withinMs: this.#statementMs })
      this.#files?.requireSameNow() // the thread may have opened others
      return { rows: rows.map(rowMaker(columns)) as never[] } // the shape is Kysely's to know
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
