import { expect, it } from 'vitest'
import { SECOND } from './clock.ts'
import { TimeUsed } from './fair-queue.ts'

it('what a group has used adds up, and half of it counts no more after each second', () => {
  let now = 0
  const used = new TimeUsed(() => now)
  const all = () => ['a', 'b', 'c'].map((group) => used.of(group))
  used.add('a', 300)
  used.add('a', 100)
  used.add('b', 50)
  expect(all()).toEqual([400, 50, 0])
  now = SECOND
  used.add('a', 100)
  expect(all()).toEqual([300, 25, 0])
  now = 3 * SECOND
  expect(all()).toEqual([75, 6.25, 0])
})
