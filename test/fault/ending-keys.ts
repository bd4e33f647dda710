import { type Answers, createAnswers } from './answers.ts'
import { type Client, createClient } from './client.ts'
import type { Cluster, Member } from './cluster.ts'
import { type DatabaseClock, readDatabaseClock } from './database-clock.ts'
import type { Operation } from './history.ts'
import { createRecorder, type Key, newDevice, READ } from './operations.ts'
import { between, oneOf, type Random } from './random.ts'
import type { Replica } from './replica.ts'

const LIFE_MS: [number, number] = [1000, 2500]
const LEFT_MS = 500
const TRIES = 8
const CLEAR_TIMES = 3
const CLEAR_WITHIN_MS = 60_000
const AT_ITS_END = { '401 API_KEY_EXPIRED': 'refused', '200 API_KEY_EXPIRED': 'refused' } as const

interface Ending extends Key {
  /** By `performance.now()`. */
  endsAt: number
  exactToMs: number
}

/** Keys that reach their end date while every replica is asked about them, by reads and by writes. */
export interface ExpiringKeys {
  /** In which an end date stands as a revoke that was answered at that very moment. */
  history: Operation[]
  answers: Answers
  keys: number
  /** How exactly the database's clock is known here. */
  exactToMs: number
}

export async function watchKeysEnd(cluster: Cluster, random: Random, count: number): Promise<ExpiringKeys> {
  const answers = createAnswers()
  const record = createRecorder(answers)
  let keys = 0

  /** Until it was refused a few times, or accepted that often after its end; and not for ever where it is neither. */
  async function askUntilClear(client: Client<Replica>, replica: Replica, key: Ending, kind: 'read' | 'write') {
    const seen = { refused: 0, late: 0 }
    while (Math.max(seen.refused, seen.late) < CLEAR_TIMES && performance.now() < key.endsAt + CLEAR_WITHIN_MS) {
      const request = kind === 'read' ? READ : newDevice()
      const isLate = performance.now() > key.endsAt + key.exactToMs
      const { verdict } = await record.call(client, replica, key, { ...request, also: AT_ITS_END })
      if (verdict === 'refused') seen.refused++
      if (verdict === 'accepted' && isLate) seen.late++
    }
  }

  /** A key with some of its life before it: on a busy machine it is given a longer one, until it is made in time. */
  async function generate(client: Client<Replica>, replicas: readonly Member[], clock: DatabaseClock) {
    for (let tries = 0; tries < TRIES; tries++) {
      const endsAt = Math.floor(clock.at(performance.now())) + between(random, ...LIFE_MS) * 2 ** tries
      const input = { expiresAt: new Date(endsAt).toISOString() }
      const key = await record.generate(client, oneOf(random, replicas), oneOf(random, cluster.organizations), input)
      const ending = key && { ...key, endsAt: clock.momentOf(endsAt), exactToMs: clock.exactToMs }
      if (ending && performance.now() + LEFT_MS < ending.endsAt) return ending
    }
    throw new Error('No key is made before it ends.')
  }

  async function watchOne(client: Client<Replica>, replicas: readonly Member[], clock: DatabaseClock): Promise<void> {
    const ending = await generate(client, replicas, clock)
    const [start, end] = [ending.endsAt - clock.exactToMs, ending.endsAt + clock.exactToMs]
    record.history.push({ key: ending.id, kind: 'revoke', start, end, answer: 'accepted' })
    await Promise.all(
      replicas.flatMap((replica) => [
        askUntilClear(client, replica, ending, 'read'),
        askUntilClear(client, replica, ending, 'write'),
      ]),
    )
    keys++
  }

  const client = createClient(cluster.replicas, random, answers)
  const clock = await readDatabaseClock(cluster.sql)
  await Promise.all(Array.from({ length: count }, () => watchOne(client, cluster.replicas, clock)))
  client.close()
  return { history: record.history, answers, keys, exactToMs: clock.exactToMs }
}
