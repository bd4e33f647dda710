import { expect, it } from 'vitest'
import { createLastSeenBuffer, type LastSeen, type Seen } from './last-seen-buffer.ts'
import { createLog } from './log.ts'

const byIdOf = (batch: readonly LastSeen[]) => Object.fromEntries(batch.map(({ id, ...seen }) => [id, seen]))
const silent = createLog('silent')

it('writes each entry once per flush, however often it was seen, and nothing if nothing was', async () => {
  const written: Record<string, Seen>[] = []
  const buffer = createLastSeenBuffer(async (batch) => void written.push(byIdOf(batch)), silent)
  for (let at = 1; at <= 1000; at++) buffer.note('a', { at, from: 'here' })
  buffer.note('b', { at: 5, from: 'there' })
  await buffer.flush()
  await buffer.flush()
  await buffer.close()

  expect(written).toEqual([{ a: { at: 1000, from: 'here' }, b: { at: 5, from: 'there' } }])
})

it('keeps entries that could not be written, unless newer ones came in', async () => {
  let broken = true
  const written: Record<string, Seen>[] = []
  const buffer = createLastSeenBuffer(async (batch) => {
    if (broken) {
      buffer.note('a', { at: 2, from: 'later' })
      throw new Error('no database')
    }
    written.push(byIdOf(batch))
  }, silent)
  buffer.note('a', { at: 1, from: 'first' })
  buffer.note('b', { at: 1, from: 'first' })
  await buffer.flush()
  broken = false
  await buffer.close()

  expect(written).toEqual([{ a: { at: 2, from: 'later' }, b: { at: 1, from: 'first' } }])
})
