import { describe, expect, it } from 'vitest'
import { createConcurrencyLimit } from './concurrency-limit.ts'

describe('the concurrency limit', () => {
  it('lets so many work at once, the others in the order in which they came', async () => {
    const runLimited = createConcurrencyLimit({ atOnce: 2, maxWaiting: 10, maxWaitingOfSource: 10 })
    const begun: number[] = []
    const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const done = works.map(({ promise }, index) =>
      runLimited('here', () => {
        begun.push(index)
        return promise
      }),
    )
    expect(begun).toEqual([0, 1])
    works[1]?.resolve()
    await done[1]
    await expect.poll(() => begun).toEqual([0, 1, 2])
    for (const { resolve } of works) resolve()
    await Promise.all(done)
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('lets sources take turns: somebody else waits for one of each, however many wait from one source', async () => {
    const runLimited = createConcurrencyLimit({ atOnce: 1, maxWaiting: 100, maxWaitingOfSource: 20 })
    const done: string[] = []
    const first = Promise.withResolvers<void>()
    const work = (source: string, name: string) => runLimited(source, async () => void done.push(name))
    const begun = runLimited('a', () => first.promise)
    const many = Array.from({ length: 20 }, (_, i) => work('a', `a${i}`))
    const others = [work('b', 'b0'), work('b', 'b1'), work('c', 'c0')]
    first.resolve()
    await Promise.all([begun, ...many, ...others])
    expect(done.slice(0, 6)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2'])
    expect(done).toHaveLength(23)
  })

  it('answers 429 to a source whose line is full, and goes on with others', async () => {
    const runLimited = createConcurrencyLimit({ atOnce: 1, maxWaiting: 10, maxWaitingOfSource: 1 })
    const first = Promise.withResolvers<void>()
    const under = [runLimited('a', () => first.promise), runLimited('a', async () => {})]
    await expect(runLimited('a', async () => {})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retryAfterSeconds: 1 },
    })
    const other = runLimited('b', async () => 'b')
    first.resolve()
    await Promise.all(under)
    expect(await other).toBe('b')
  })

  it('answers 503 once the line is full, and works again when it is not', async () => {
    const runLimited = createConcurrencyLimit({ atOnce: 1, maxWaiting: 1, maxWaitingOfSource: 10 })
    const first = Promise.withResolvers<void>()
    const under = [runLimited('here', () => first.promise), runLimited('here', async () => {})]
    await expect(runLimited('here', async () => {})).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { retryAfterSeconds: 1 },
    })
    first.resolve()
    await Promise.all(under)
    expect(await runLimited('here', async () => 'again')).toBe('again')
  })

  it('hands the place on when the work fails', async () => {
    const runLimited = createConcurrencyLimit({ atOnce: 1, maxWaiting: 1, maxWaitingOfSource: 1 })
    const failing = runLimited('here', () => Promise.reject(new Error('no')))
    const next = runLimited('here', async () => 'next')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('next')
  })
})
