import { expect, it } from 'vitest'
import { FairLine } from './fair-line.ts'

/** Whoever stands there, by the first letter of their name. */
function lineOf(...names: string[]) {
  const line = new FairLine<string>()
  for (const name of names) line.add(name.slice(0, 1), name)
  return line
}

function allOf(line: FairLine<string>, may = (_group: string) => true): string[] {
  const served: string[] = []
  for (let next = line.next(may); next; next = line.next(may)) served.push(next.waiter)
  return served
}

it('C16: groups take turns, and in each it goes by when one came', () => {
  const line = lineOf('a1', 'a2', 'a3', 'b1', 'c1', 'b2')
  expect(allOf(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  expect(line.length).toBe(0)
})

it('a group that may not is passed over, and keeps its place', () => {
  const line = lineOf('a1', 'b1', 'b2')
  expect(allOf(line, (group) => group !== 'a')).toEqual(['b1', 'b2'])
  expect(line.lengthOf('a')).toBe(1)
  expect(allOf(line)).toEqual(['a1'])
})

it('whoever has gone is not served, and takes no room', () => {
  const line = lineOf('a1', 'a2', 'b1')
  line.remove('a', 'a1')
  line.remove('a', 'a1')
  line.remove('b', 'b1')
  expect([line.length, line.lengthOf('a'), line.lengthOf('b')]).toEqual([1, 1, 0])
  expect(line.removeAll()).toEqual(['a2'])
  expect([line.length, line.lengthOf('a')]).toEqual([0, 0])
})
