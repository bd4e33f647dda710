import { setTimeout as pause } from 'node:timers/promises'
import { type Answers, createAnswers } from './answers.ts'
import { type Client, createClient } from './client.ts'
import type { Organization } from './cluster.ts'
import type { Operation } from './history.ts'
import { createRecorder, type Key, newDevice } from './operations.ts'
import { withPatience } from './patience.ts'
import { between, oneOf, type Random } from './random.ts'
import type { Replica } from './replica.ts'

const PATIENCE_MS = 100
const GRACE_MS = 8000
const AFTER_TROUBLE_MS = 20
const WRITERS_OF_A_KEY = 3

/** Keys that are revoked while several clients write with them on all replicas. */
export interface WritingLoad {
  history: Operation[]
  answers: Answers
  counts: { writes: number; revokes: number; slowestRevokeMs: number }
  stop(): Promise<void>
}

interface Options {
  replicas: readonly Replica[]
  organizations: readonly Organization[]
  random: Random
  /** How many keys are written with at the same time. */
  keys?: number
}

export function startWriting({ replicas, organizations, random, keys = 8 }: Options): WritingLoad {
  const answers = createAnswers()
  const record = createRecorder(answers)
  const counts = { writes: 0, revokes: 0, slowestRevokeMs: 0 }
  let isOver = false

  /** Until the key is refused; `onWritten` is told of each write that was kept. */
  async function writeOn(client: Client<Replica>, key: Key, isStopped: () => boolean, onWritten: () => void) {
    let refused = false
    const write = async (replica: Replica) => {
      const { verdict } = await record.call(client, replica, key, newDevice())
      if (verdict === 'unknown') await pause(AFTER_TROUBLE_MS)
      if (verdict === 'refused') refused = true
      if (verdict !== 'accepted') return
      counts.writes++
      onWritten()
    }
    while (!refused && !isStopped()) {
      const replica = client.pick()
      if (replica) await withPatience(PATIENCE_MS, write(replica))
      else await pause(AFTER_TROUBLE_MS)
    }
  }

  async function revoke(client: Client<Replica>, key: Key): Promise<void> {
    const start = performance.now()
    for (;;) {
      const replica = client.pick()
      if (isOver || (replica && (await record.revoke(client, replica, key)))) break
      await pause(AFTER_TROUBLE_MS)
    }
    if (isOver) return
    counts.revokes++
    counts.slowestRevokeMs = Math.max(counts.slowestRevokeMs, performance.now() - start)
  }

  async function liveOn(owner: Client<Replica>, writers: Client<Replica>[]): Promise<void> {
    while (!isOver) {
      const replica = owner.pick()
      const key = replica && (await record.generate(owner, replica, oneOf(random, organizations)))
      if (!key) await pause(AFTER_TROUBLE_MS)
      else {
        const enough = Promise.withResolvers<void>()
        let left = between(random, 1, 12)
        const onWritten = () => --left === 0 && enough.resolve()
        const writing = writers.map((writer) => writeOn(writer, key, () => isOver, onWritten))
        await Promise.race([enough.promise, Promise.all(writing)])
        await revoke(owner, key)
        await Promise.all(writing)
      }
    }
  }

  const clients: Client<Replica>[] = []
  const open = () => {
    const client = createClient(replicas, random, answers)
    clients.push(client)
    return client
  }
  const lives = Array.from({ length: keys }, () => liveOn(open(), Array.from({ length: WRITERS_OF_A_KEY }, open)))
  return {
    history: record.history,
    answers,
    counts,
    async stop() {
      isOver = true
      await withPatience(GRACE_MS, Promise.all(lives))
      for (const client of clients) client.close()
      await Promise.all(lives)
    },
  }
}
