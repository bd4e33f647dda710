import { setTimeout as pause } from 'node:timers/promises'
import { type Answers, createAnswers, type Outcome } from './answers.ts'
import { createClient } from './client.ts'
import type { Organization } from './cluster.ts'
import { ALSO, endByCommand, endKey } from './endings.ts'
import { createRecorder, type Key, READ, type Recorder } from './operations.ts'
import { between, oneOf, type Random } from './random.ts'
import type { SqlitePortal } from './sqlite-portal.ts'

const CALLERS = 4
const ENDERS = 3
const AFTER_TROUBLE_MS = 20
const CERTAIN_WITHIN_MS = 60_000
const HELD = '403 KEYS_HELD'
const HELD_FOR_MS = 5000

/** Keys that are used all the time, and end one after the other. */
export interface UsedKeys {
  record: Recorder
  answers: Answers
  /** Calls with a verdict, and keys that certainly ended, by a request or by the command line. */
  counts: { calls: number; ended: number; byCommand: number }
  /** Ends so many more; back when they have ended. */
  end(count: number): Promise<void>
  /** Ends one key by the command line; back when it has ended. */
  endOneByCommand(): Promise<void>
  /** Calls with every key until each is accepted or refused; false: keys are held. */
  lookAtAll(): Promise<boolean>
  stop(): Promise<void>
}

interface Options {
  portal: SqlitePortal
  organizations: readonly Organization[]
  keysEach: number
  random: Random
}

export async function startUsing({ portal, organizations, keysEach, random }: Options): Promise<UsedKeys> {
  const answers = createAnswers()
  const record = createRecorder(answers)
  const counts = { calls: 0, ended: 0, byCommand: 0 }
  const client = () => createClient([portal], random, answers)
  const clients = Array.from({ length: CALLERS + ENDERS }, client)
  const keys: Key[] = []
  const active: Key[] = []
  const ended: Key[] = []
  let left = 0
  let isOver = false

  async function answerTo(place: number, key: Key): Promise<Outcome | undefined> {
    const by = clients[place]
    const to = by?.pick()
    if (!by || !to) return undefined
    const outcome = await record.call(by, to, key, { ...READ, also: ALSO })
    if (outcome.verdict !== 'unknown') counts.calls++
    return outcome
  }
  const isCertain = (outcome: Outcome | undefined) => outcome !== undefined && outcome.verdict !== 'unknown'

  /** Mostly one that has just ended, or is about to. */
  const anyKey = () => {
    const chance = random()
    if (chance < 0.3 && ended.length > 0) return oneOf(random, ended.slice(-10))
    return oneOf(random, chance < 0.6 ? keys : active.length > 0 ? active.slice(-10) : keys)
  }

  async function callOn(place: number): Promise<void> {
    while (!isOver) if (!isCertain(await answerTo(place, anyKey()))) await pause(AFTER_TROUBLE_MS)
  }

  /** Again until it is certain. */
  async function endOn(place: number): Promise<void> {
    const by = clients[place]
    while (!isOver && by) {
      const key = left > 0 ? active.pop() : undefined
      if (key) left--
      else await pause(AFTER_TROUBLE_MS)
      for (let tries = 0; key && !isOver; tries++) {
        const to = by.pick()
        if (to && (await endKey({ client: by, record, random }, to, key, tries > 0))) {
          ended.push(key)
          counts.ended++
          break
        }
        await pause(AFTER_TROUBLE_MS)
      }
    }
  }

  /** What it came to; `undefined`: keys are held, and do not stop to be. */
  async function certainly(place: number, key: Key): Promise<Outcome | undefined> {
    let outcome: Outcome | undefined
    for (const start = performance.now(); performance.now() - start < CERTAIN_WITHIN_MS; ) {
      outcome = await answerTo(place, key)
      if (isCertain(outcome)) return outcome
      if (outcome?.words === HELD && performance.now() - start > HELD_FOR_MS) return undefined
      await pause(AFTER_TROUBLE_MS)
    }
    throw new Error(
      `There is no answer, though the portal is running again: ${outcome?.words} ${outcome?.text}\n${[...portal.troubles(), ...portal.said()].slice(-5).join('\n')}`,
    )
  }

  const generate = async (owner: Organization) => {
    const [by] = clients
    for (let made = 0; by && made < keysEach; made++) {
      const key = await record.generate(by, portal, owner)
      if (!key) throw new Error('A key was not generated.')
      keys.push(key)
    }
  }
  await Promise.all(organizations.map(generate))
  active.push(...keys)
  active.sort(() => random() - 0.5)
  const loops = [
    ...Array.from({ length: CALLERS }, (_, place) => callOn(place)),
    ...Array.from({ length: ENDERS }, (_, place) => endOn(CALLERS + place)),
  ]
  return {
    record,
    answers,
    counts,
    async end(count) {
      const until = counts.ended + Math.min(count, active.length)
      left += count
      while (counts.ended < until) await pause(AFTER_TROUBLE_MS)
    },
    async endOneByCommand() {
      await pause(between(random, 0, 200))
      const key = active.pop()
      if (!key) return
      if (await endByCommand(portal, record, random, key)) counts.byCommand++
      ended.push(key)
    },
    async lookAtAll() {
      const waiting = [...keys]
      let isHeld = false
      const check = async (place: number) => {
        for (let key = waiting.pop(); key && !isHeld; key = waiting.pop())
          if (!(await certainly(place, key))) isHeld = true
      }
      await Promise.all(Array.from({ length: CALLERS }, (_, place) => check(place)))
      return !isHeld
    },
    async stop() {
      isOver = true
      await Promise.all(loops)
      for (const each of clients) each.close()
    },
  }
}
