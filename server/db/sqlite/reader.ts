import { Worker } from 'node:worker_threads'
import { AppError } from '../../lib/app-error.ts'
import { tookTooLong } from '../heavy-reads.ts'
import { asAppError } from './errors.ts'
import type { ReaderAnswer, ReaderData, ReaderQuestion } from './reader-thread.ts'
import { TIME_LIMIT_FUNCTION } from './time-limit.ts'

const STOP = 1

export interface Rows {
  columns: string[]
  rows: unknown[][]
}

/** A reader thread, as seen from the event loop: it gets one statement at a time. */
export class SqliteReader {
  readonly #worker: Worker
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #ended: Promise<void>
  #asked: PromiseWithResolvers<Rows> | undefined
  isOpen = true

  constructor(path: string) {
    const workerData: ReaderData = { path, timeLimitFunction: TIME_LIMIT_FUNCTION, stop: this.#stop }
    this.#worker = new Worker(new URL('./reader-thread.ts', import.meta.url), {
      workerData,
    })
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
