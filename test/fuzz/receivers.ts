import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROCESS = fileURLToPath(import.meta.resolve('./receivers-process.ts'))

/** What receivers of webhooks do that are slow, broken or hostile. */
export const HOSTILE_KINDS = [
  'interim',
  'headers',
  'chunks',
  'silent',
  'noise',
  'redirect',
  'continue',
  'processing',
  'drip',
  'body',
  'extensions',
  'trailers',
  'reset',
] as const

export type ReceiverKind = 'quick' | (typeof HOSTILE_KINDS)[number]

/** Receivers of webhooks on this machine, in a process of their own. */
export interface Receivers {
  urlOf(kind: ReceiverKind): string
  /** Ends all connections, so that nothing goes on beside the next step. */
  release(): Promise<void>
  close(): void
}

export async function startReceivers(): Promise<Receivers> {
  const child = fork(PROCESS, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [{ port }] = await once(child, 'message')
  return {
    urlOf: (kind) => `http://127.0.0.1:${port}/${kind}`,
    async release() {
      child.send('release')
      await once(child, 'message')
    },
    close: () => void child.kill(),
  }
}
