import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  describeOnOwnValkey,
  describeOnValkey,
  someValkey,
  startValkey,
} from '../../test/support/process/valkey-server.ts'
import { inProcessParent } from '../../test/support/world/in-process-parent.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../lib/clock.ts'
import { createLog } from '../lib/log.ts'
import { connectValkey } from '../lib/valkey.ts'
import { SIGN_INS_OF_ACCOUNT, SIGN_INS_OF_SOURCE } from './backoff.ts'
import { createThrottle, type Throttle } from './throttle.ts'

const ADDRESS = 'ada@example.com'
const HERE = '203.0.113.7'

/** A throttle, and a way to let time pass for it. */
interface Timed {
  throttle: Throttle
  wait(ms: number): Promise<void>
  /** How soon before the end of a wait can still be told from after it. */
  justBeforeMs: number
  /** How many times longer its waits are than in production. */
  slower: number
}

/** The library that counts goes by the time of the process. */
function startClock(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return async (ms) => void vi.advanceTimersByTime(ms)
}

async function ofOneProcess(): Promise<Timed> {
  const wait = startClock()
  return { throttle: createThrottle(), wait, justBeforeMs: 1, slower: 1 }
}

/** Two workers of one parent, of which each attempt is at the other one. */
async function ofWorkers(): Promise<Timed> {
  const wait = startClock()
  const { parentCounts: parent } = inProcessParent(2)
  const workers = [createThrottle({ parent }), createThrottle({ parent })]
  let attempts = 0
  const throttle: Throttle = {
    async attempt(...args) {
      const worker = workers[attempts++ % 2]
      if (!worker) throw new Error('There are two.')
      return worker.attempt(...args)
    },
  }
  return { throttle, wait, justBeforeMs: 1, slower: 1 }
}

/**
 * Its time is that of the server: waiting lets what is stored there expire sooner. A second of a wait is a minute there, so
 * that on a busy machine none passes between two tries that belong together.
 */
async function onValkey(): Promise<Timed> {
  const slower = 60
  const [waitsMs, sourceWaitsMs] = [SIGN_INS_OF_ACCOUNT, SIGN_INS_OF_SOURCE].map((each) =>
    each.waitsMs.map((ms) => ms * slower),
  )
  const its = await someValkey(2)
  onTestFinished(its.close)
  const valkey = await connectValkey(new URL(its.url), createLog('silent'), { answerMs: 10 * SECOND })
  onTestFinished(() => valkey.close())
  const wait = async (ms: number) => {
    const keys = (await its.ask('KEYS', 'portal:count:sign-in:*')) as string[] // what KEYS answers
    for (const key of keys) {
      const slowing = key.endsWith('-wait') ? slower : 1
      await its.ask('PEXPIRE', key, String(Number(await its.ask('PTTL', key)) - ms * slowing))
    }
  }
  return {
    throttle: createThrottle({ valkey, waitsMs, sourceWaitsMs }),
    wait,
    justBeforeMs: SECOND / 2,
    slower,
  }
}

async function world(start: () => Promise<Timed>) {
  const { throttle, wait, justBeforeMs, slower } = await start()
  const wrong = async (source = HERE, email = ADDRESS) => {
    const tried = throttle.attempt(email, source, async () => undefined)
    return tried.then(
      () => 'tried',
      (error) => Math.ceil(Number(error.details.retryAfterSeconds) / slower),
    )
  }
  const right = () => throttle.attempt(ADDRESS, HERE, async () => 'in')
  return { throttle, wrong, right, wait, justBeforeMs }
}

async function times(count: number, work: () => Promise<unknown>): Promise<unknown[]> {
  const results: unknown[] = []
  for (let i = 0; i < count; i++) results.push(await work())
  return results
}

describe('the sign-in throttle of one process', () => {
  guarantees(ofOneProcess)

  it('forgets the attempts of a source after an hour', async () => {
    const { wrong, wait } = await world(ofOneProcess)
    for (let i = 0; i < 50; i++) await wrong(HERE, `person-${i}@example.com`)
    await wait(HOUR)
    for (let i = 0; i < 50; i++) expect(await wrong(HERE, `later-${i}@example.com`)).toBe('tried')
    expect(await wrong(HERE, 'another@example.com')).toBe(1)
  })

  it('a clock that was ahead makes nobody wait longer than after their last attempt', async () => {
    const { wrong, wait } = await world(ofOneProcess)
    await times(5, wrong)
    vi.setSystemTime(Date.now() - DAY)
    expect(await wrong()).toBeLessThanOrEqual(2)
    await wait(SECOND)
    expect(await wrong()).toBe('tried')
  })

  it('remembers slowed-down entries, however many others try', async () => {
    const { wrong } = await world(ofOneProcess)
    await times(5, wrong)
    for (let i = 0; i < 50_010; i++) await wrong(`source ${i}`, 'noise@example.com')
    expect(await wrong()).toBe(1)
  })
})
describe('the sign-in throttle of workers', () => guarantees(ofWorkers))
describeOnValkey('the throttle of sign-in, on Valkey', () => guarantees(onValkey))

describeOnOwnValkey('the throttle of sign-in, when Valkey goes away in the middle of a try', () => {
  it('accepts a right password, and keeps the failures of the source', async () => {
    const its = await startValkey()
    onTestFinished(its.close)
    const valkey = await connectValkey(new URL(its.url), createLog('silent'))
    onTestFinished(() => valkey.close())
    const { attempt } = createThrottle({ valkey })
    const meanwhile = async (finish: () => string) => {
      await its.kill()
      return finish()
    }
    expect(await attempt(ADDRESS, HERE, () => meanwhile(() => 'in'))).toBe('in')
    await its.start()
    await expect
      .poll(() => valkey.eval('return 1', { keys: [], arguments: [] }).catch(() => 0), { timeout: 5000 })
      .toBe(1)
    const failing = () => {
      throw new Error('busy')
    }
    await expect(attempt(ADDRESS, HERE, () => meanwhile(failing))).rejects.toThrow('busy')
  })
})

function guarantees(start: () => Promise<Timed>): void {
  it('allows five attempts, then requires a wait of 1 s, doubling up to 15 minutes', async () => {
    const { wrong, wait, justBeforeMs } = await world(start)
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
    const waits: unknown[] = []
    for (let i = 0; i < 13; i++) {
      const seconds = await wrong()
      waits.push(seconds)
      await wait(Number(seconds) * SECOND - justBeforeMs)
      expect(await wrong()).toBe(1)
      await wait(justBeforeMs)
      expect(await wrong()).toBe('tried')
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  })

  it('refuses the right password during the wait, and forgets failures after a right one', async () => {
    const { wrong, right, wait } = await world(start)
    await times(5, wrong)
    await expect(right()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    await wait(SECOND)
    expect(await right()).toBe('in')
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
    expect(await wrong()).toBe(1)
  })

  it('counts for an address and a source together, so that nobody can lock an Admin out', async () => {
    const { wrong } = await world(start)
    await times(6, wrong)
    expect(await wrong()).toBe(1)
    expect(await wrong('198.51.100.1')).toBe('tried')
    expect(await wrong(HERE, 'bob@example.com')).toBe('tried')
  })

  it('counts an attempt before its work begins, so that concurrent ones do not slip past', async () => {
    const { throttle } = await world(start)
    const slow = Promise.withResolvers<undefined>()
    const tries = Array.from({ length: 20 }, () => throttle.attempt(ADDRESS, HERE, () => slow.promise))
    slow.resolve(undefined)
    const results = await Promise.allSettled(tries)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  it('does not count internal errors', async () => {
    const { throttle, wrong } = await world(start)
    const failing = () => throttle.attempt(ADDRESS, HERE, () => Promise.reject(new Error('busy')))
    for (let i = 0; i < 20; i++) await expect(failing()).rejects.toThrow('busy')
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
  })

  it('allows a source 50 attempts for any accounts, then requires a wait, and not from other sources', async () => {
    const { wrong } = await world(start)
    for (let i = 0; i < 50; i++) expect(await wrong(HERE, `person-${i}@example.com`)).toBe('tried')
    expect(await wrong(HERE, 'another@example.com')).toBe(1)
    expect(await wrong('198.51.100.1', 'another@example.com')).toBe('tried')
  })

  it('does not count successes against a source, or attempts that come too early for their account', async () => {
    const { throttle, wrong } = await world(start)
    for (let i = 0; i < 60; i++) await throttle.attempt(`person-${i}@example.com`, HERE, async () => 'in')
    await times(60, wrong)
    for (let i = 0; i < 45; i++) expect(await wrong(HERE, `person-${i}@example.com`)).toBe('tried')
    expect(await wrong(HERE, 'another@example.com')).toBe(1)
  })

  it('forgets after a day', async () => {
    const { wrong, wait } = await world(start)
    await times(5, wrong)
    for (let i = 0; i < 12; i++) {
      await wait(15 * MINUTE)
      await wrong()
    }
    await wait(DAY)
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
  })
}
