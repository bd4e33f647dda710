import { expect, it } from 'vitest'
import { createCrewLog } from './crew-log.ts'
import { unexplainedLosses } from './wire.ts'

const line = (more: object) => JSON.stringify({ level: 'info', msg: '', ...more })

/** Two workers, of which the first was killed between two moments. */
async function oneKilled() {
  const crew = createCrewLog()
  for (const worker of [1, 2]) {
    crew.read(line({ ready: worker, pid: 100 + worker }))
    crew.read(line({ worker, requestId: `mark${worker}-1` }))
  }
  crew.disturb(1)
  const from = performance.now()
  crew.read(line({ level: 'error', died: 1 }))
  await expect.poll(() => crew.deaths[0]?.to).toBeLessThan(Number.POSITIVE_INFINITY)
  return { crew, from, to: crew.deaths[0]?.to ?? 0 }
}

it('a call is lost with the worker of its connection, or as the first on its connection, while it dies', async () => {
  const { crew, from, to } = await oneKilled()
  const lost = { start: from - 10, end: from + 1, why: 'connection lost' }
  expect(
    unexplainedLosses(
      [
        { ...lost, by: 'mark1' },
        { ...lost, by: undefined },
      ],
      crew,
    ),
  ).toEqual([])
  const others = [
    { ...lost, by: 'mark2' },
    { ...lost, by: 'mark1', end: from - 5 },
    { ...lost, by: undefined, start: to + 1, end: to + 2 },
    { ...lost, by: 'mark1', why: 'no answer in time' },
  ]
  expect(unexplainedLosses(others, crew)).toHaveLength(others.length)
  expect(crew.wrong).toEqual([])
})

it('while no worker serves, connections may be refused; a worker that dies by itself is wrong', async () => {
  const { crew } = await oneKilled()
  crew.read(line({ level: 'error', died: 2 }))
  const during = performance.now()
  const lost = { start: during, end: during + 1, why: 'connection lost', by: undefined }
  expect(unexplainedLosses([lost], crew)).toEqual([])
  crew.read(line({ ready: 3, pid: 103 }))
  await expect.poll(() => crew.outages[0]?.to).toBeLessThan(Number.POSITIVE_INFINITY)
  const after = performance.now() + 10
  expect(unexplainedLosses([{ ...lost, start: after, end: after + 1 }], crew)).toHaveLength(1)
  expect(crew.wrong).toEqual(['worker 2 has died by itself'])
})

it('the background jobs are with one worker at a time', () => {
  const crew = createCrewLog()
  crew.read(line({ by: 1 }))
  crew.read(line({ worker: 1, msg: 'retiring' }))
  crew.read(line({ by: 2 }))
  expect([crew.hasJobs(), crew.wrong]).toEqual([2, []])
  crew.read(line({ by: 3 }))
  expect(crew.wrong).toEqual(['worker 3 has the background jobs while worker 2 has them'])
})
