import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { coreWaitMs } from './machine.ts'

const PROCESS = fileURLToPath(import.meta.resolve('./bystander-process.ts'))

/** Who calls, and which device of theirs is written to, if any is. */
export interface BystanderCaller {
  secrets: readonly string[]
  deviceId?: string
}

/** Whom to call from now on, or what was seen since the last look. */
export type BystanderQuestion = ({ port: number } & BystanderCaller) | 'poll'

/** From when to when a call was under way, in milliseconds of Unix time. */
export interface Span {
  from: number
  to: number
}

/** How long calls of one kind have waited. */
export interface Waited {
  latenciesMs: number[]
  spans: Span[]
  /** How long the call under way has been waiting. */
  waitingMs: number
}

/** What reads have shown, and `writes` on their own. */
export interface Seen extends Waited {
  writes: Waited
  /** Answers other than the one that a plain call has. */
  refused: string[]
}

export interface Bystander {
  /** From now on against this port. */
  turnTo(port: number): void
  poll(): Promise<Seen>
  /** For how long it had no core itself. */
  coreWaitMs(): number
  close(): void
}

export function startBystander(caller: BystanderCaller): Bystander {
  const child = fork(PROCESS, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ask = (question: BystanderQuestion) => child.send(question)
  return {
    turnTo: (port) => void ask({ port, ...caller }),
    async poll() {
      ask('poll')
      const [{ answer }] = await once(child, 'message')
      return answer
    },
    coreWaitMs: () => coreWaitMs(child.pid),
    close: () => void child.kill(),
  }
}

export const longestOf = ({ latenciesMs, waitingMs }: Waited) => latenciesMs.reduce((a, b) => Math.max(a, b), waitingMs)

/** The value below which this share of the numbers lies; 0 where there are none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
