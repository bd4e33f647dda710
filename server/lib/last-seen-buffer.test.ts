import { expect, it } from 'vitest'
import { type CheckInNote, createLastSeenBuffer, type NotedCheckIn } from './last-seen-buffer.ts'
import { createLog } from './log.ts'

const byIdOf = (batch: readonly NotedCheckIn[]) =>
  Object.fromEntries(batch.map(({ id, ...sighting }) => [id, sighting]))
const silent = createLog('silent')

it('writes each thing once a flush, however often it was seen, and nothing when nothing was', async () => {
  const written: Record<string, CheckInNote>[] = []
  const sightings = createLastSeenBuffer(async (batch) => void written.push(byIdOf(batch)), silent)
  for (let at = 1; at <= 1000; at++) sightings.note('a', { at, from: 'here' })
  sightings.note('b', { at: 5, from: 'there' })
  await sightings.flush()
  await sightings.flush()
  await sightings.close()

  expect(written).toEqual([{ a: { at: 1000, from: 'here' }, b: { at: 5, from: 'there' } }])
})

it('keeps what could not be written, and lets what was seen since win', async () => {
  let broken = true
  const written: Record<string, CheckInNote>[] = []
  const sightings = createLastSeenBuffer(async (batch) => {
    if (broken) {
      sightings.note('a', { at: 2, from: 'later' })
      throw new Error('no database')
    }
    written.push(byIdOf(batch))
  }, silent)
  sightings.note('a', { at: 1, from: 'first' })
  sightings.note('b', { at: 1, from: 'first' })
  await sightings.flush()
  broken = false
  await sightings.close()

  expect(written).toEqual([{ a: { at: 2, from: 'later' }, b: { at: 1, from: 'first' } }])
})
