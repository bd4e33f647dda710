import { afterEach, expect, it, vi } from 'vitest'
import { createDeadlines } from './deadlines.ts'

afterEach(() => void vi.useRealTimers())

it('returns what is in time, and rejects what is late', async () => {
  vi.useFakeTimers()
  const watch = createDeadlines(1000, () => new Error('late'))
  const quick = watch(Promise.resolve(1))
  const broken = watch(Promise.reject(new Error('broken')))
  const never = watch(new Promise(() => {}))
  const ends = Promise.allSettled([quick, broken, never])

  await vi.advanceTimersByTimeAsync(900)
  expect(await Promise.race([never.catch(() => 'given up'), 'waiting'])).toBe('waiting')
  await vi.advanceTimersByTimeAsync(350)
  expect((await ends).map((end) => (end.status === 'fulfilled' ? end.value : end.reason.message))).toEqual([
    1,
    'broken',
    'late',
  ])
})

it('each has its own time limit', async () => {
  vi.useFakeTimers()
  const watch = createDeadlines(1000, () => new Error('late'))
  const ended: string[] = []
  const wait = (name: string) => watch(new Promise(() => {})).catch(() => ended.push(name))
  void wait('first')
  await vi.advanceTimersByTimeAsync(600)
  void wait('second')
  await vi.advanceTimersByTimeAsync(650)
  expect(ended).toEqual(['first'])
  await vi.advanceTimersByTimeAsync(600)
  expect(ended).toEqual(['first', 'second'])
})

it('a late result does not affect others', async () => {
  vi.useFakeTimers()
  const watch = createDeadlines(1000, () => new Error('late'))
  const ended: string[] = []
  const wait = (name: string, work: Promise<unknown>) => void watch(work).catch(() => ended.push(name))
  const slow = Promise.withResolvers()
  wait('slow', slow.promise)
  wait('never', new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(1250)
  wait('later', new Promise(() => {}))
  slow.resolve(1)
  wait('last', new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(1250)
  expect(ended).toEqual(['slow', 'never', 'later', 'last'])
})
