import { Worker } from 'node:worker_threads'
import { type CompiledQuery, Kysely, type QueryResult } from 'kysely'
import { AppError } from '../../lib/app-error.ts'
import { ConcurrencyLimit } from '../../lib/concurrency-limit.ts'
import { type HeavyReads, type Requester, tookTooLong, tooManyWaiting } from '../heavy-reads.ts'
import type { Db, Tables } from '../tables.ts'
import { sqliteDialect } from './dialect.ts'
import { rowMaker } from './driver.ts'
import { asAppError } from './errors.ts'
import type { OpenFiles } from './open-files.ts'
import type { ReaderAnswer, ReaderData, ReaderQuestion } from './reader-thread.ts'
import { TIME_LIMIT_FUNCTION, withinTime } from './time-limit.ts'

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

const STOP = 1

interface Rows {
  columns: string[]
  rows: unknown[][]
}

/** A reader thread, as seen from the event loop: it gets one statement at a time. */
class SqliteReader {
  readonly #worker: Worker
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #ended: Promise<void>
  #asked: PromiseWithResolvers<Rows> | undefined
  isOpen = true

  constructor(path: string) {
    const workerData: ReaderData = { path, timeLimitFunction: TIME_LIMIT_FUNCTION, stop: this.#stop }
    this.#worker = new Worker(new URL('./reader-thread.ts', import.meta.url), { workerData })
    this.#worker.unref()
    // Resolves in its own event-loop iteration: otherwise consecutive results would be handled in one iteration, and
    // other work would wait.
    this.#worker.on('message', (answer: ReaderAnswer) => setImmediate(() => this.#settle(answer)))
    this.#worker.on('error', (error) => this.#end(error))
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#end(new Error('The reader thread has ended.'))
        resolve()
      })
    })
  }

  ask(question: ReaderQuestion): Promise<Rows> {
    this.#asked = Promise.withResolvers()
    this.#worker.postMessage(question)
    return this.#asked.promise
  }

  /** Closes the thread. A statement that is running fails. */
  async close(): Promise<void> {
    Atomics.store(this.#stop, 0, STOP)
    this.#worker.ref() // keeps the process alive until the thread exits
    this.#worker.postMessage('close')
    await this.#ended
  }

  #settle(answer: ReaderAnswer): void {
    if (!('error' in answer)) this.#asked?.resolve(answer)
    else this.#asked?.reject(answer.error.isLate ? tookTooLong() : errorOf(answer.error))
    this.#asked = undefined
  }

  #end(cause: Error): void {
    this.isOpen = false
    this.#asked?.reject(new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause }))
    this.#asked = undefined
  }
}

/** The error as a direct connection throws it. */
const errorOf = ({ message, errcode }: { message: string; errcode: number | undefined }) =>
  asAppError(Object.assign(new Error(message), { errcode }))
