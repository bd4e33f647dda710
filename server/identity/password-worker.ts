import { argon2Sync } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import type { DeriveInput } from '../caller/deps.ts'

/* A thread that hashes passwords, one at a time. They come by message and are wiped once they are hashed. */
parentPort?.on('message', (input: DeriveInput) => {
  const hash = argon2Sync('argon2id', input)
  input.message.fill(0)
  parentPort?.postMessage(hash)
})
