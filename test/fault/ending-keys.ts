import { type Answers, createAnswers } from './answers.ts'
import { type Client, createClient } from './client.ts'
import type { Cluster, Member } from './cluster.ts'
import { type DatabaseClock, readDatabaseClock } from './database-clock.ts'
import type { Operation } from './history.ts'
import { createRecorder, type Key, newDevice, READ } from './operations.ts'
import { between, oneOf, type Random } from './random.ts'
import type { Replica } from './replica.ts'

const LIFE_MS: [number, number] = [1000, 2500]
const REFUSED_TIMES = 3
const REFUSED_WITHIN_MS = 2000
const AT_ITS_END = { '401 API_KEY_EXPIRED': 'refused', '200 API_KEY_EXPIRED': 'refused' } as const

interface Ending extends Key {
  /** By `performance.now()`. */
  endsAt: number
}

/** Keys that reach their end date while every replica is asked about them, by reads and by writes. */
export interface EndingKeys {
  /** In which an end date stands as a revoke that was answered at that very moment. */
  history: Operation[]
  answers: Answers
  keys: number
  /** How exactly the database's clock is known here. */
  exactToMs: number
}

export async function watchKeysEnd(cluster: Cluster, random: Random, count: number): Promise<EndingKeys> {
  const answers = createAnswers()
  const record = createRecorder(answers)
  let keys = 0

  /** A few times more than once, and not for ever where it does not come to that. */
  async function askUntilRefused(client: Client<Replica>, replica: Replica, key: Ending, kind: 'read' | 'write') {
    for (let refused = 0; refused < REFUSED_TIMES && performance.now() < key.endsAt + REFUSED_WITHIN_MS; ) {
      const request = kind === 'read' ? READ : newDevice()
      const { verdict } = await record.call(client, replica, key, { ...request, also: AT_ITS_END })
      if (verdict === 'refused') refused++
    }
  }

  async function watchOne(client: Client<Replica>, replicas: readonly Member[], clock: DatabaseClock): Promise<void> {
    const endsAt = Math.floor(clock.at(performance.now())) + between(random, ...LIFE_MS)
    const input = { expiresAt: new Date(endsAt).toISOString() }
    const key = await record.generate(client, oneOf(random, replicas), oneOf(random, cluster.organizations), input)
    if (!key) return
    const ending = { ...key, endsAt: clock.momentOf(endsAt) }
    const [start, end] = [ending.endsAt - clock.exactToMs, ending.endsAt + clock.exactToMs]
    record.history.push({ key: key.id, kind: 'revoke', start, end, answer: 'accepted' })
    await Promise.all(
      replicas.flatMap((replica) => [
        askUntilRefused(client, replica, ending, 'read'),
        askUntilRefused(client, replica, ending, 'write'),
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
