import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { type Entry, LinkedList } from './linked-list.ts'

const valuesOf = (list: LinkedList<number>) => [...list].map(({ value }) => value)

it('behaves like an array when entries are added, moved and removed, even twice', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('add', 'add', 'move', 'remove'), fc.nat(20)), { maxLength: 40 })
  fc.assert(
    fc.property(steps, (sequence) => {
      const list = new LinkedList<number>()
      const entries: Entry<number>[] = []
      let expected: number[] = []
      for (const [step, at] of sequence) {
        const entry = entries[at % entries.length]
        if (step === 'add') {
          expected.push(entries.length)
          entries.push(list.add(entries.length))
        } else if (entry && (step === 'remove' || expected.includes(entry.value))) {
          expected = expected.filter((value) => value !== entry.value)
          if (step === 'move') expected.push(entry.value)
          if (step === 'move') list.moveToEnd(entry)
          else list.remove(entry)
        }
        expect([valuesOf(list), list.size]).toEqual([expected, expected.length])
        expect([list.first?.value, list.last?.value]).toEqual([expected[0], expected.at(-1)])
      }
    }),
  )
})

it('entries may be removed during iteration', () => {
  const list = new LinkedList<number>()
  for (const value of [1, 2, 3]) list.add(value)
  const seen: number[] = []
  for (const entry of list) {
    seen.push(entry.value)
    list.remove(entry)
  }
  expect([seen, list.size]).toEqual([[1, 2, 3], 0])
})
