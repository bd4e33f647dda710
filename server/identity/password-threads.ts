import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { PasswordThreads } from '../caller/deps.ts'
import { AppError } from '../lib/app-error.ts'

/** Passwords that one of so many workers hashes at once: more than four in all, or than cores, would only wait for a core. */
export const passwordsAtOnce = (workers: number): number =>
  Math.max(1, Math.floor(Math.min(4, availableParallelism()) / workers))

/** Each thread is started when it is first needed, and keeps the process alive only while it works. */
export function createPasswordThreads(): PasswordThreads {
  const all = new Set<Worker>()
  const idle: Worker[] = []

  function start(): Worker {
    const worker = new Worker(new URL('./password-worker.ts', import.meta.url))
    all.add(worker)
    worker.once('exit', () => {
      all.delete(worker)
      const index = idle.indexOf(worker)
      if (index >= 0) idle.splice(index, 1)
    })
    worker.on('error', () => {}) // whoever waits for it gets the error
    return worker
  }

  return {
    derive(input) {
      const worker = idle.pop() ?? start()
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
      const done = (hash: Uint8Array) => {
        worker.off('error', broken).off('exit', broken)
        worker.unref()
        idle.push(worker)
        resolve(Buffer.from(hash))
      }
      const broken = (cause: unknown) => reject(new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause }))
      worker.once('message', done).once('error', broken).once('exit', broken)
      worker.ref()
      worker.postMessage(input)
      return promise
    },
    async close() {
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}
