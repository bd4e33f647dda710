import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('lets so many work at once, the others in the order in which they came', async () => {
    const takeTurn = createTurns({ atOnce: 2, inLine: 10 })
    const begun: number[] = []
    const works = Array.from({ length: 5 }, () => Promise.withResolvers<void>())
    const done = works.map(({ promise }, index) =>
      takeTurn(() => {
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

  it('answers 503 once the line is full, and works again when it is not', async () => {
    const takeTurn = createTurns({ atOnce: 1, inLine: 1 })
    const first = Promise.withResolvers<void>()
    const under = [takeTurn(() => first.promise), takeTurn(async () => {})]
    await expect(takeTurn(async () => {})).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      details: { retryAfterSeconds: 1 },
    })
    first.resolve()
    await Promise.all(under)
    expect(await takeTurn(async () => 'again')).toBe('again')
  })

  it('hands the place on when the work fails', async () => {
    const takeTurn = createTurns({ atOnce: 1, inLine: 1 })
    const failing = takeTurn(() => Promise.reject(new Error('no')))
    const next = takeTurn(async () => 'next')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('next')
  })
})
