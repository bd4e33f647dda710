import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('lets so many work at once, the others in the order in which they came', async () => {
    const takeTurn = createTurns({ atOnce: 2, inLine: 10, inLineOfSource: 10 })
    const begun: number[] = []
    const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const done = works.map(({ promise }, index) =>
      takeTurn('here', () => {
        begun.push(index)
        return promise
      }),
    )
    expect(begun).toEqual([0, 1])
    works[1]?.resolve()
    await done[1]
    expect(begun).toEqual([0, 1, 2])
    for (const { resolve } of works) resolve()
    await Promise.all(done)
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('lets sources take turns: somebody else waits for one of each, however many wait from one source', async () => {
    const takeTurn = createTurns({ atOnce: 1, inLine: 100, inLineOfSource: 20 })
    const done: string[] = []
    const first = Promise.withResolvers<void>()
    const work = (source: string, name: string) => takeTurn(source, async () => void done.push(name))
    const begun = takeTurn('a', () => first.promise)
    const many = Array.from({ length: 20 }, (_, i) => work('a', `a${i}`))
    const others = [work('b', 'b0'), work('b', 'b1'), work('c', 'c0')]
    first.resolve()
    await Promise.all([begun, ...many, ...others])
    expect(done.slice(0, 6)).toEqual(['a0', 'b0', 'c0', 'a1', 'b1', 'a2'])
    expect(done).toHaveLength(23)
  })

  it('answers 429 to a source whose line is full, and goes on with others', async () => {
    const takeTurn = createTurns({ atOnce: 1, inLine: 10, inLineOfSource: 1 })
    const first = Promise.withResolvers<void>()
    const under = [takeTurn('a', () => first.promise), takeTurn('a', async () => {})]
    await expect(takeTurn('a', async () => {})).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { retryAfterSeconds: 1 },
    })
    const other = takeTurn('b', async () => 'b')
    first.resolve()
    await Promise.all(under)
    expect(await other).toBe('b')
  })

  it('answers 503 once the line is full, and works again when it is not', async () => {
    const takeTurn = createTurns({ atOnce: 1, inLine: 1, inLineOfSource: 10 })
    const first = Promise.withResolvers<void>()
    const under = [takeTurn('here', () => first.promise), takeTurn('here', async () => {})]
    await expect(takeTurn('here', async () => {})).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { retryAfterSeconds: 1 },
    })
    first.resolve()
    await Promise.all(under)
    expect(await takeTurn('here', async () => 'again')).toBe('again')
  })

  it('hands the place on when the work fails', async () => {
    const takeTurn = createTurns({ atOnce: 1, inLine: 1, inLineOfSource: 1 })
    const failing = takeTurn('here', () => Promise.reject(new Error('no')))
    const next = takeTurn('here', async () => 'next')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('next')
  })
})
