import { setImmediate as nextIteration } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createArrivals } from './arrivals.ts'

it('handles what arrives in one iteration of the event loop as one group, and later arrivals as another', async () => {
  const groups: string[][] = []
  const arrived = createArrivals<string>((group) => {
    groups.push([...group])
    return () => undefined
  })
  arrived('a')
  arrived('b')
  expect(groups).toEqual([])
  await nextIteration()
  arrived('c')
  await nextIteration()
  expect(groups).toEqual([['a', 'b'], ['c']])
})

it('begins with the next one when the one before has done all that it can do at once, and waits for nothing else', async () => {
  const steps: string[] = []
  const { promise: outside, resolve: answer } = Promise.withResolvers<void>()
  const arrived = createArrivals<string>(() => (name) => {
    if (name === 'b') {
      steps.push('b') // done at once
      return undefined
    }
    return serve(name)
  })
  async function serve(name: string): Promise<void> {
    for (let step = 1; step <= 5; step++) {
      steps.push(`${name}${step}`)
      await undefined
    }
    await outside
    steps.push(`${name} answered`)
  }
  for (const name of ['a', 'b', 'c']) arrived(name)
  await nextIteration()
  expect(steps).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b', 'c1', 'c2', 'c3', 'c4', 'c5'])
  answer()
  await nextIteration()
  expect(steps.slice(-2)).toEqual(['a answered', 'c answered'])
})
