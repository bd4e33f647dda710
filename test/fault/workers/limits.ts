import { setTimeout as pause } from 'node:timers/promises'
import { DAY, SECOND } from '../../../server/lib/clock.ts'
import { type Answers, createAnswers } from '../answers.ts'
import type { Client } from '../client.ts'
import type { Organization } from '../cluster.ts'
import { createRecorder, type Key, READ } from '../operations.ts'
import { oneOf, type Random } from '../random.ts'
import type { Replica } from '../replica.ts'
import { until } from '../until.ts'
import type { CrewLog } from './crew-log.ts'
import { acceptedWhileRefused, mostInWindows, type TimedCall } from './windows.ts'

const A_DAY = 96
const A_SECOND = 20
const CALLERS = 3
const BETWEEN_CALLS_MS = { day: 2, second: 15 }
const AFTER_TROUBLE_MS = 20
/** What all workers together have taken in advance of the limit of a day, at most. */
const IN_ADVANCE = A_DAY / 8
/** Workers that count alone say so once a minute. */
const SAID_EVERY_MS = 61 * SECOND
const WHOLE_AGAIN_WITHIN_MS = 60 * SECOND
const WINDOWS_WATCHED = 10
const REFUSED = { '429 RATE_LIMITED': 'refused' } as const

interface SpentKey {
  start: number
  end: number
  accepted: number
  uncertain: number
}

/** Keys with limits of their own, which callers on all workers use up. */
export interface LimitedLoad {
  answers: Answers
  counts: { spent: number; spentOverDeaths: number }
  /** Waits until the limit of a second is whole again; false: it is refused before it is spent, and stays so. */
  isWholeAgain(): Promise<boolean>
  stop(): Promise<void>
  /** What was more, or less, than the limits allow. */
  wrong(): string[]
}

interface Options {
  portal: Replica & { crew: CrewLog; workers: number }
  organizations: readonly Organization[]
  random: Random
  open: (answers: Answers) => Client<Replica>
}

export function startLimited({ portal, organizations, random, open }: Options): LimitedLoad {
  const { crew } = portal
  const answers = createAnswers()
  const record = createRecorder(answers)
  const counts = { spent: 0, spentOverDeaths: 0 }
  const spent: SpentKey[] = []
  const inSeconds: TimedCall[] = []
  let isOver = false
  const clients = Array.from({ length: 2 * CALLERS }, () => open(answers))
  const [admin] = clients

  async function generate(input: object): Promise<Key | undefined> {
    while (!isOver && admin) {
      const key = await record.generate(admin, portal, oneOf(random, organizations), input)
      if (key) return key
      await pause(AFTER_TROUBLE_MS)
    }
    return undefined
  }

  async function revoke(by: Client<Replica>, key: Key): Promise<void> {
    while (!isOver && !(await record.revoke(by, portal, key))) await pause(AFTER_TROUBLE_MS)
  }

  /** Calls until the limit of the day is spent. */
  async function spendDay(key: Key): Promise<SpentKey | undefined> {
    const seen: SpentKey = { start: performance.now(), end: 0, accepted: 0, uncertain: 0 }
    let isSpent = false
    const call = async (client: Client<Replica>) => {
      while (!isSpent && !isOver) {
        const { verdict } = await client.send(portal, { secret: key.secret, ...READ, also: REFUSED })
        if (verdict === 'accepted') seen.accepted++
        else if (verdict === 'refused') isSpent = true
        else seen.uncertain++
        await pause(BETWEEN_CALLS_MS.day)
      }
    }
    await Promise.all(clients.slice(0, CALLERS).map(call))
    seen.end = performance.now()
    return isSpent ? seen : undefined
  }

  async function spendDays(): Promise<void> {
    while (!isOver && admin) {
      const day = Math.floor(Date.now() / DAY)
      const key = await generate({ label: 'so many a day', requestsPerDay: A_DAY })
      const seen = key && (await spendDay(key))
      if (seen && Math.floor(Date.now() / DAY) === day) {
        spent.push(seen)
        counts.spent++
        if (deathsWithin(crew, seen).length > 0) counts.spentOverDeaths++
      }
      if (key) await revoke(admin, key)
    }
  }

  async function spendSeconds(): Promise<void> {
    const key = await generate({ label: 'so many a second', requestsPerSecond: A_SECOND })
    const call = async (client: Client<Replica>) => {
      while (!isOver && key) {
        const start = performance.now()
        const { verdict } = await client.send(portal, { secret: key.secret, ...READ, also: REFUSED })
        inSeconds.push({ start, end: performance.now(), verdict })
        await pause(BETWEEN_CALLS_MS.second)
      }
    }
    await Promise.all(clients.slice(CALLERS).map(call))
  }

  const countingAlone = ({ start, end }: { start: number; end: number }) =>
    new Set(
      crew.countedAlone.filter(({ at }) => at > start - SAID_EVERY_MS && at < end + SECOND).map(({ worker }) => worker),
    ).size

  /** What a worker has taken in advance that died, hung, or got no more calls, counts as used. */
  function wrongDay(seen: SpentKey): string[] {
    const { accepted, uncertain } = seen
    const most = A_DAY + countingAlone(seen) * A_DAY // who counts alone has the whole limit for itself
    const least = A_DAY - uncertain - (deathsWithin(crew, seen).length / portal.workers + 1) * IN_ADVANCE
    if (accepted > most) return [`${accepted} calls were accepted of ${A_DAY} a day: ${most} at most`]
    return accepted < least
      ? [`after ${accepted} calls, and ${uncertain} without an answer, ${A_DAY} a day were spent: ${least} at least`]
      : []
  }

  const loops = [spendDays(), spendSeconds()]
  return {
    answers,
    counts,
    async isWholeAgain() {
      const from = inSeconds.length
      const seen = () => acceptedWhileRefused(inSeconds.slice(from), { windows: WINDOWS_WATCHED, windowMs: SECOND })
      const isWhole = (accepted: number | undefined) =>
        accepted !== undefined && accepted >= A_SECOND * (WINDOWS_WATCHED - 1)
      await until(() => isWhole(seen()), WHOLE_AGAIN_WITHIN_MS)
      const accepted = seen()
      return accepted === undefined || isWhole(accepted)
    },
    async stop() {
      isOver = true
      await Promise.all(loops)
      for (const client of clients) client.close()
    },
    wrong() {
      const accepted = inSeconds.filter(({ verdict }) => verdict === 'accepted')
      const span = { start: inSeconds[0]?.start ?? 0, end: inSeconds.at(-1)?.end ?? 0 }
      const tooMany = countingAlone(span) > 0 ? [] : mostInWindows(accepted, { limit: A_SECOND, windowMs: SECOND })
      return [...spent.flatMap(wrongDay), ...tooMany]
    },
  }
}

const deathsWithin = ({ deaths }: CrewLog, { start, end }: { start: number; end: number }) =>
  deaths.filter(({ from, to }) => from <= end && to >= start)
