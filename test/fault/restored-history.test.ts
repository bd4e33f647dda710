import { expect, it } from 'vitest'
import type { Operation } from './history.ts'
import { violationsOverRestores } from './restored-history.ts'

const operation = (
  kind: Operation['kind'],
  [start, end]: [number, number],
  answer: Operation['answer'],
): Operation => ({
  key: 'k',
  kind,
  start,
  end,
  answer,
})
const generated = operation('generate', [0, 1], 'accepted')
const restore = { start: 30, end: 40 }
const rulesIn = (history: Operation[]) =>
  violationsOverRestores([generated, ...history], [restore]).map(({ rule }) => rule)

it('a key whose revoke was answered is not accepted after a restore', () => {
  const history = [operation('revoke', [10, 20], 'accepted'), operation('call', [50, 60], 'accepted')]
  expect(rulesIn(history)).toEqual(['accepted after its revoke had answered'])
})

it('a restore may undo a revoke that was not answered, and nothing else does', () => {
  const cutOff = operation('revoke', [10, 20], 'unknown')
  const refused = operation('call', [21, 22], 'refused')
  expect(rulesIn([cutOff, refused, operation('call', [50, 60], 'accepted')])).toEqual([])
  expect(rulesIn([cutOff, refused, operation('revoke', [50, 60], 'accepted')])).toEqual([])
  expect(rulesIn([cutOff, refused, operation('call', [23, 24], 'accepted')])).toEqual([
    'accepted after it had been refused',
  ])
})

it('a key that nobody revoked is accepted after a restore', () => {
  expect(rulesIn([operation('call', [50, 60], 'refused')])).toEqual(['refused before any revoke had started'])
})
