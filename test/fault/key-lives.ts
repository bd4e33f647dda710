import { setTimeout as pause } from 'node:timers/promises'
import { type Answers, createAnswers } from './answers.ts'
import { type Client, createClient } from './client.ts'
import type { Organization } from './cluster.ts'
import type { Operation, Verdict } from './history.ts'
import { createRecorder, type Key, READ, type Recorder } from './operations.ts'
import { withPatience } from './patience.ts'
import { between, oneOf, type Random } from './random.ts'
import type { Replica } from './replica.ts'

const PATIENCE_MS = 100
const GRACE_MS = 2000
const AFTER_TROUBLE_MS = 20
const LONGEST_HELD_BACK_MS = 15_000 // the portal waits for a body for 30 s
const CLIENTS_AGAIN = 4
const CALLED_AGAIN_WITHIN_MS = 120_000

interface LiveKey extends Key {
  /** How many calls with it were answered, and at how many its life goes on. */
  calls: number
  wakeAt: number
  wake: () => void
}

/** Clients that make keys, call with each other's keys everywhere, revoke them while others call, and call on. */
export interface Load {
  history: Operation[]
  answers: Answers
  /** Calls with a verdict, those of them whose body was held back over the revoke, and revokes that were answered. */
  counts: { calls: number; heldBack: number; revokes: number }
  /** Calls with every key there ever was, also those that were revoked long ago, on each of these replicas. */
  callAgain(replicas: readonly Replica[]): Promise<void>
  /** No more is begun; what is under way has a moment to be answered, and is then cut off. */
  stop(): Promise<void>
}

interface Options {
  replicas: readonly Replica[]
  organizations: readonly Organization[]
  random: Random
  clients?: number
  /** How many calls a key is used for before it is revoked, and afterwards. */
  before?: [number, number]
  after?: [number, number]
  open?: (answers: Answers) => Client<Replica>
  /** How a key ends; plainly revoked unless told otherwise. True: for certain. */
  end?: (
    at: { client: Client<Replica>; record: Recorder; random: Random },
    to: Replica,
    key: Key,
    isAgain: boolean,
  ) => Promise<boolean>
  /** Answers to calls that are then right, too. */
  also?: Record<string, Verdict>
}

const revokePlainly: NonNullable<Options['end']> = ({ client, record }, to, key) => record.revoke(client, to, key)

export function startLoad(options: Options): Load {
  const { replicas, organizations, random, clients: clientCount = 16, before = [15, 60], after = [10, 35] } = options
  const { open = (answers) => createClient(replicas, random, answers), end = revokePlainly, also = {} } = options
  const read = { ...READ, also }
  const answers = createAnswers()
  const record = createRecorder(answers)
  const counts = { calls: 0, heldBack: 0, revokes: 0 }
  const keys: LiveKey[] = []
  const keysToRevoke: LiveKey[] = []
  const everyKey: LiveKey[] = []
  const over = Promise.withResolvers<void>()
  let isOver = false

  async function call(client: Client<Replica>, replica: Replica, key: LiveKey): Promise<void> {
    const { verdict } = await record.call(client, replica, key, read)
    if (verdict === 'unknown') return void (await pause(AFTER_TROUBLE_MS))
    counts.calls++
    if (++key.calls >= key.wakeAt) key.wake()
  }

  async function callOn(client: Client<Replica>): Promise<void> {
    while (!isOver) {
      const replica = client.pick()
      const key = pickKey()
      if (!replica || !key) await pause(AFTER_TROUBLE_MS)
      else await withPatience(PATIENCE_MS, call(client, replica, key))
    }
  }

  /** Mostly one whose end has come, since it is there that something can be found; often the same as everybody else. */
  const pickKey = () => {
    const chance = random()
    if (chance < 0.3 && keysToRevoke.length > 0) return keysToRevoke.at(-1)
    if (chance < 0.6 && keysToRevoke.length > 0) return oneOf(random, keysToRevoke)
    return keys.length > 0 ? oneOf(random, keys) : undefined
  }

  const reached = (key: LiveKey, calls: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    key.wakeAt = key.calls + calls
    key.wake = resolve
    return Promise.race([promise, over.promise])
  }

  /** Right before a revoke and right after it: a lookup that is under way there must not answer for a later call. */
  const callEverywhere = (client: Client<Replica>, key: LiveKey) => {
    for (const replica of client.free()) void call(client, replica, key)
  }

  /** Heads that go out before a revoke, with bodies that follow when it has been answered, or takes too long. */
  const holdBackEverywhere = (client: Client<Replica>, key: LiveKey, revoked: Promise<void>) => {
    let isRevoked = false
    const answered = revoked.then(() => {
      isRevoked = true
    })
    const release = Promise.race([answered, pause(LONGEST_HELD_BACK_MS, undefined, { ref: false })])
    for (const replica of client.free()) {
      const sent = record.call(client, replica, key, { ...read, release })
      void Promise.all([sent, release.then(() => isRevoked)]).then(([{ verdict }, wasHeldOver]) => {
        if (verdict !== 'unknown' && wasHeldOver) counts.heldBack++
      })
    }
  }

  /** Until it is certain: what was not answered is asked again, and may then find that it had happened. */
  async function revoke(client: Client<Replica>, key: LiveKey): Promise<void> {
    for (let tries = 0; !isOver; ) {
      const replica = client.pick()
      if (replica && (await end({ client, record, random }, replica, key, tries++ > 0))) return void counts.revokes++
      await pause(AFTER_TROUBLE_MS)
    }
  }

  async function liveOn(client: Client<Replica>): Promise<void> {
    while (!isOver) {
      const replica = client.pick()
      const made = replica && (await record.generate(client, replica, oneOf(random, organizations)))
      if (made) {
        const key: LiveKey = { ...made, calls: 0, wakeAt: Number.POSITIVE_INFINITY, wake: () => {} }
        keys.push(key)
        everyKey.push(key)
        await reached(key, between(random, ...before))
        keysToRevoke.push(key)
        callEverywhere(client, key)
        const revoked = Promise.withResolvers<void>()
        holdBackEverywhere(client, key, revoked.promise)
        await revoke(client, key)
        revoked.resolve()
        callEverywhere(client, key)
        await reached(key, between(random, ...after))
        keys.splice(keys.indexOf(key), 1)
        keysToRevoke.splice(keysToRevoke.indexOf(key), 1)
      } else await pause(AFTER_TROUBLE_MS)
    }
  }

  const clients = Array.from({ length: clientCount }, () => open(answers))
  const loops = clients.flatMap((client) => [callOn(client), liveOn(client)])
  return {
    history: record.history,
    answers,
    counts,
    async callAgain(replicas) {
      const left = everyKey.flatMap((key) => replicas.map((replica) => ({ key, replica })))
      const callOn = async (client: Client<Replica>) => {
        for (let next = left.pop(); next; next = left.pop()) {
          const { verdict } = await record.call(client, next.replica, next.key, read)
          if (verdict !== 'unknown') continue
          left.unshift(next)
          await pause(AFTER_TROUBLE_MS)
        }
      }
      const others = Array.from({ length: CLIENTS_AGAIN }, () => createClient(replicas, random, answers))
      await withPatience(CALLED_AGAIN_WITHIN_MS, Promise.all(others.map(callOn)))
      if (left.length > 0)
        answers.wrong.push(`${left.length} calls are not answered, though everything is running again`)
      left.length = 0
      for (const client of others) client.close()
    },
    async stop() {
      isOver = true
      over.resolve()
      await withPatience(GRACE_MS, Promise.all(loops))
      for (const client of clients) client.close()
      await Promise.all(loops)
    },
  }
}
