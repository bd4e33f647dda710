import { setTimeout as pause } from 'node:timers/promises'
import { type Answers, createAnswers } from './answers.ts'
import { type Client, createClient } from './client.ts'
import type { Organization } from './cluster.ts'
import { CHANGES, type KeyState, NEW_KEY, type Planned, REFUSALS } from './key-states.ts'
import { createRecorder, type Key, newDevice, READ } from './operations.ts'
import { withPatience } from './patience.ts'
import { between, oneOf, type Random } from './random.ts'
import { type Change, type Seen, unexplained } from './register.ts'
import type { Replica } from './replica.ts'

const PATIENCE_MS = 100
const GRACE_MS = 8000
const AFTER_TROUBLE_MS = 20
const CALLERS_OF_A_KEY = 3
const MOST_CHANGES = 30
/** The clock of the portal counts whole milliseconds. */
const EXACT_TO_MS = 5

export interface SeenCall extends Seen<KeyState> {
  key: string
  kind: 'read' | 'write'
  words: string
}

export const describeSeenCall = ({ key, kind, words, start, end }: SeenCall) =>
  `no order of the changes explains a ${kind} answered ${words} from ${start.toFixed(3)} to ${end.toFixed(3)} ms (key ${key})`

interface ChangedKey extends Key {
  changes: Change<KeyState>[]
  calls: SeenCall[]
  /** Revoked or about to be: calls in progress may find it gone. */
  isRevoked: boolean
}

/** Keys that are paused, resumed, narrowed and widened while several clients read and write with them on all replicas. */
export interface ChangingLoad {
  answers: Answers
  /** Calls that were accepted or refused, those whose body was held back over a change, and changes that were answered. */
  counts: { accepted: number; refused: number; heldBack: number; changes: number }
  /** What no order of the changes explains. */
  violations(): SeenCall[]
  stop(): Promise<void>
}

interface Options {
  replicas: readonly Replica[]
  organizations: readonly Organization[]
  random: Random
  /** How many keys are changed at the same time. */
  keys?: number
  open?: (answers: Answers) => Client<Replica>
}

export function startChanging(options: Options): ChangingLoad {
  const { replicas, organizations, random, keys: lifeCount = 6 } = options
  const { open: openClient = (answers) => createClient(replicas, random, answers) } = options
  const answers = createAnswers()
  const record = createRecorder(answers)
  const counts = { accepted: 0, refused: 0, heldBack: 0, changes: 0 }
  const keys: ChangedKey[] = []
  let isOver = false

  async function call(client: Client<Replica>, to: Replica, key: ChangedKey, release?: Promise<void>): Promise<void> {
    const kind = random() < 0.5 ? 'read' : 'write'
    const start = performance.now()
    let releasedAt = start
    const released = release?.then(() => {
      releasedAt = performance.now()
    })
    const request = kind === 'read' ? READ : newDevice()
    const also = { ...REFUSALS, '401 API_KEY_INVALID': 'unknown', '200 API_KEY_INVALID': 'unknown' } as const
    const { verdict, words } = await client.send(to, {
      secret: key.secret,
      ...request,
      also,
      ...(released && { release: released }),
    })
    if (words.includes('API_KEY_INVALID') && !key.isRevoked)
      answers.wrong.push('a key that nobody revoked does not exist')
    if (verdict === 'unknown') return void (await pause(AFTER_TROUBLE_MS))
    counts[verdict]++
    if (release !== undefined) counts.heldBack++
    const end = performance.now()
    const fits = (state: KeyState) => (verdict === 'accepted' ? state.allows(kind) : state.explains(words))
    const judgedFrom = verdict === 'accepted' ? releasedAt : start // it is refused at its head, or when its body has come (C12)
    key.calls.push({ key: key.id, kind, words, start: judgedFrom, end, fits })
  }

  async function callOn(client: Client<Replica>, key: ChangedKey, isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const replica = client.pick()
      if (replica) await withPatience(PATIENCE_MS, call(client, replica, key))
      else await pause(AFTER_TROUBLE_MS)
    }
  }

  /** False: it was not answered, so it may still happen at any time. */
  async function change(client: Client<Replica>, to: Replica, key: ChangedKey, planned: Planned): Promise<boolean> {
    const state = planned.next(key.changes.at(-1)?.state ?? NEW_KEY)
    const started: Change<KeyState> = { start: performance.now(), end: Number.POSITIVE_INFINITY, state }
    key.changes.push(started)
    const request = { secret: key.owner.secret, query: planned.query, variables: { id: key.id } }
    const { verdict } = await client.send(to, request)
    if (verdict !== 'accepted') return false
    started.end = performance.now()
    counts.changes++
    if (planned.ends) await endByItself(key, started, planned.ends)
    return true
  }

  /** It began at some moment of its request, and lasts from there. */
  async function endByItself(
    key: ChangedKey,
    { start, end, state }: Change<KeyState>,
    ends: NonNullable<Planned['ends']>,
  ) {
    const ended = {
      start: start + ends.afterMs - EXACT_TO_MS,
      end: end + ends.afterMs + EXACT_TO_MS,
      state: ends.next(state),
    }
    key.changes.push(ended)
    await pause(ended.end - performance.now())
  }

  /** Right before a change and right after it, and heads that go out before it with bodies that follow it. */
  async function changeUnderCalls(client: Client<Replica>, key: ChangedKey): Promise<boolean> {
    const answered = Promise.withResolvers<void>()
    const calls = client.free().map((replica) => call(client, replica, key))
    calls.push(...client.free().map((replica) => call(client, replica, key, answered.promise)))
    const to = client.pick()
    const isCertain = to ? await change(client, to, key, oneOf(random, CHANGES)) : true
    answered.resolve()
    calls.push(...client.free().map((replica) => call(client, replica, key)))
    await withPatience(PATIENCE_MS, Promise.all(calls))
    return isCertain
  }

  async function liveOn(owner: Client<Replica>, callers: Client<Replica>[]): Promise<void> {
    while (!isOver) {
      const replica = owner.pick()
      const made = replica && (await record.generate(owner, replica, oneOf(random, organizations)))
      if (!made) {
        await pause(AFTER_TROUBLE_MS)
        continue
      }
      const key: ChangedKey = { ...made, changes: [], calls: [], isRevoked: false }
      keys.push(key)
      let isDone = false
      const calling = callers.map((caller) => callOn(caller, key, () => isDone || isOver))
      for (let changes = 0; changes < MOST_CHANGES && !isOver; changes++) {
        await pause(between(random, 0, 60))
        if (!(await changeUnderCalls(owner, key))) break
      }
      isDone = true
      await Promise.all(calling)
      key.isRevoked = true
      for (let isGone = false; !isGone && !isOver; ) {
        const to = owner.pick()
        isGone = to !== undefined && (await record.revoke(owner, to, key))
        if (!isGone) await pause(AFTER_TROUBLE_MS)
      }
    }
  }

  const clients: Client<Replica>[] = []
  const open = () => {
    const client = openClient(answers)
    clients.push(client)
    return client
  }
  const lives = Array.from({ length: lifeCount }, () => liveOn(open(), Array.from({ length: CALLERS_OF_A_KEY }, open)))
  return {
    answers,
    counts,
    violations: () => keys.flatMap(({ changes, calls }) => unexplained(NEW_KEY, changes, calls)),
    async stop() {
      isOver = true
      await withPatience(GRACE_MS, Promise.all(lives))
      for (const client of clients) client.close()
      await Promise.all(lives)
    },
  }
}
