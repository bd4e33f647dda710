import cluster from 'node:cluster'
import { SECOND } from '../lib/clock.ts'
import { messageOf } from '../lib/error-text.ts'
import { within } from '../lib/within.ts'

const ANSWER_WITHIN_MS = 5 * SECOND

type WorkerId = number

/** The way from a worker to the parent. What is sent is copied as JSON. */
export interface WorkerLink {
  /** Rejects if the parent does not answer in time, or its handler threw. */
  ask<Answer>(kind: string, payload: unknown): Promise<Answer>
  tell(kind: string, payload: unknown): void
  /** Answers what the parent asks; one handler for each kind. */
  onAsk(kind: string, answer: (payload: unknown) => unknown): void
}

/** The way from the parent to its workers. One handler for each kind. */
export interface ParentLink {
  /** Rejects if the worker is gone, does not answer in time, or its handler threw. */
  ask<Answer>(worker: WorkerId, kind: string, payload: unknown): Promise<Answer>
  onAsk(kind: string, answer: (worker: WorkerId, payload: unknown) => unknown): void
  onTell(kind: string, handle: (worker: WorkerId, payload: unknown) => void): void
  /** Called once for each worker that is gone, however that came, after all that it has sent. Any number of handlers. */
  onGone(handle: (worker: WorkerId) => void): void
}

type Message =
  | { portal: 'tell'; kind: string; payload: unknown }
  | { portal: 'ask'; kind: string; payload: unknown; question: number }
  | { portal: 'answer'; question: number; answer?: unknown; error?: string }

type Send = (message: Message) => void
type Handler = (payload: unknown) => unknown

function createEnd(send: Send, handlerOf: (kind: string) => Handler | undefined) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let questions = 0

  async function answer(question: number, kind: string, payload: unknown): Promise<void> {
    try {
      const handle = handlerOf(kind)
      if (!handle) throw new Error(`Nothing answers ${kind}.`)
      send({ portal: 'answer', question, answer: await handle(payload) })
    } catch (error) {
      send({ portal: 'answer', question, error: messageOf(error) })
    }
  }

  return {
    tell: (kind: string, payload: unknown) => send({ portal: 'tell', kind, payload }),
    async ask<Answer>(kind: string, payload: unknown): Promise<Answer> {
      const question = ++questions
      const answered = Promise.withResolvers<unknown>()
      waiting.set(question, answered)
      send({ portal: 'ask', kind, payload, question })
      try {
        const late = () => new Error(`There was no answer to ${kind}.`)
        return (await within(ANSWER_WITHIN_MS, answered.promise, late)) as Answer // both ends are of one release
      } finally {
        waiting.delete(question)
      }
    },
    receive(message: unknown): void {
      if (!isMessage(message)) return
      if (message.portal === 'tell') handlerOf(message.kind)?.(message.payload)
      else if (message.portal === 'ask') void answer(message.question, message.kind, message.payload)
      else if (message.error === undefined) waiting.get(message.question)?.resolve(message.answer)
      else waiting.get(message.question)?.reject(new Error(message.error))
    },
    end(): void {
      for (const { reject } of waiting.values()) reject(new Error('The connection between the processes has ended.'))
    },
  }
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'portal' in message

/** The link of this process; undefined: it is no worker. */
export function linkToParent(): WorkerLink | undefined {
  const { worker } = cluster
  if (!worker) return undefined
  const handlers = new Map<string, Handler>()
  const end = createEnd(
    (message) => void (worker.isConnected() && worker.send(message, undefined, () => {})), // the parent may be gone
    (kind) => handlers.get(kind),
  )
  worker.on('message', end.receive)
  worker.on('disconnect', end.end)
  return { ask: end.ask, tell: end.tell, onAsk: (kind, answer) => void handlers.set(kind, answer) }
}

/** To all workers that this process forks from now on. */
export function linkToWorkers(): ParentLink {
  const handlers = new Map<string, (worker: WorkerId, payload: unknown) => unknown>()
  const ends = new Map<WorkerId, ReturnType<typeof createEnd>>()
  const onGone: ((worker: WorkerId) => void)[] = []
  cluster.on('fork', (worker) => {
    const { id } = worker
    const end = createEnd(
      (message) => void (worker.isConnected() && worker.send(message, undefined, () => {})), // it may be gone
      (kind) => {
        const handle = handlers.get(kind)
        return handle && ((payload) => handle(id, payload))
      },
    )
    ends.set(id, end)
    worker.on('message', end.receive)
    let isOver = false
    const over = () => {
      if (isOver) for (const handle of onGone) handle(id)
      isOver = true
    }
    worker.once('disconnect', over) // only now has all that it sent been read: often after its exit
    worker.once('exit', () => {
      ends.delete(id)
      end.end()
      over()
    })
  })
  return {
    async ask<Answer>(worker: WorkerId, kind: string, payload: unknown): Promise<Answer> {
      const end = ends.get(worker)
      if (!end) throw new Error(`The worker ${worker} is gone.`)
      return end.ask<Answer>(kind, payload)
    },
    onAsk: (kind, answer) => void handlers.set(kind, answer),
    onTell: (kind, handle) => void handlers.set(kind, handle),
    onGone: (handle) => void onGone.push(handle),
  }
}
