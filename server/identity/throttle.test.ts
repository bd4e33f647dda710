import { describe, expect, it } from 'vitest'
import { DAY, MINUTE, SECOND } from '../lib/clock.ts'
import { createThrottle } from './throttle.ts'

const ADDRESS = 'ada@example.com'
const HERE = '203.0.113.7'

function world() {
  let time = 0
  const throttle = createThrottle(() => time)
  const wrong = async (source = HERE, email = ADDRESS) => {
    const tried = throttle.attempt(email, source, async () => undefined)
    return tried.then(
      () => 'tried',
      (error) => error.details.retryAfterSeconds as unknown,
    )
  }
  const right = () => throttle.attempt(ADDRESS, HERE, async () => 'in')
  const wait = (ms: number) => {
    time += ms
  }
  return { throttle, wrong, right, wait }
}

async function times(count: number, work: () => Promise<unknown>): Promise<unknown[]> {
  const results: unknown[] = []
  for (let i = 0; i < count; i++) results.push(await work())
  return results
}

describe('the throttle of sign-in', () => {
  it('gives five tries, then asks to wait 1 s, doubling up to 15 minutes', async () => {
    const { wrong, wait } = world()
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
    const waits: unknown[] = []
    for (let i = 0; i < 13; i++) {
      const seconds = await wrong()
      waits.push(seconds)
      wait(Number(seconds) * SECOND - 1)
      expect(await wrong()).toBe(1)
      wait(1)
      expect(await wrong()).toBe('tried')
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  })

  it('refuses the right password while it asks to wait, and forgets everything after a right one', async () => {
    const { wrong, right, wait } = world()
    await times(5, wrong)
    await expect(right()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    wait(SECOND)
    expect(await right()).toBe('in')
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
    expect(await wrong()).toBe(1)
  })

  it('counts for an address and a source together, so that nobody locks an Admin out', async () => {
    const { wrong } = world()
    await times(6, wrong)
    expect(await wrong()).toBe(1)
    expect(await wrong('198.51.100.1')).toBe('tried')
    expect(await wrong(HERE, 'bob@example.com')).toBe('tried')
  })

  it('counts a try before its work begins, so that many at once do not slip past', async () => {
    const { throttle } = world()
    const slow = Promise.withResolvers<undefined>()
    const tries = Array.from({ length: 20 }, () => throttle.attempt(ADDRESS, HERE, () => slow.promise))
    slow.resolve(undefined)
    const results = await Promise.allSettled(tries)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  it('does not hold trouble of our own against anyone', async () => {
    const { throttle, wrong } = world()
    const failing = () => throttle.attempt(ADDRESS, HERE, () => Promise.reject(new Error('busy')))
    for (let i = 0; i < 20; i++) await expect(failing()).rejects.toThrow('busy')
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
  })

  it('forgets after a day', async () => {
    const { wrong, wait } = world()
    await times(5, wrong)
    for (let i = 0; i < 12; i++) {
      wait(15 * MINUTE)
      await wrong()
    }
    wait(DAY)
    expect(await times(5, wrong)).toEqual(Array(5).fill('tried'))
  })
})
