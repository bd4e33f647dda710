import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { Snapshots } from './snapshots.ts'

const NOW = 1_000_000
/** The patience with a read that is at its end as soon as it begins. */
const PATIENT_MS = 10_000

it('a request does not wait for the end of a read, and a later one gets its result', async () => {
  const snapshots = new Snapshots<{ count: number }>()
  const { promise, resolve } = Promise.withResolvers<{ count: number }>()
  const read = vi.fn(() => promise)
  expect(await snapshots.latest('a', NOW, read, 0)).toBeUndefined()
  resolve({ count: 1 })
  expect(await snapshots.latest('a', NOW, read, PATIENT_MS)).toEqual({ value: { count: 1 }, at: NOW })
  expect(read).toHaveBeenCalledTimes(1)
})

it('reads again after five seconds, and gives the last result until that has ended', async () => {
  const snapshots = new Snapshots<{ count: number }>()
  await snapshots.latest('a', NOW, async () => ({ count: 1 }), PATIENT_MS)
  expect(await snapshots.latest('a', NOW + 4_999, async () => ({ count: 2 }), PATIENT_MS)).toMatchObject({ at: NOW })
  const never = new Promise<{ count: number }>(() => {})
  const later = NOW + 60_000
  expect(await snapshots.latest('a', later, () => never, 0)).toEqual({ value: { count: 1 }, at: NOW })
})

it('each organization has its own', async () => {
  const snapshots = new Snapshots<{ count: number }>()
  await snapshots.latest('a', NOW, async () => ({ count: 1 }), PATIENT_MS)
  expect(await snapshots.latest('b', NOW, async () => ({ count: 2 }), PATIENT_MS)).toMatchObject({
    value: { count: 2 },
  })
})

it('a failed read is an error once, and the last result stays', async () => {
  const snapshots = new Snapshots<{ count: number }>()
  await snapshots.latest('a', NOW, async () => ({ count: 1 }), PATIENT_MS)
  const failing = async () => Promise.reject(new Error('not now'))
  await expect(snapshots.latest('a', NOW + 60_000, failing, PATIENT_MS)).rejects.toThrow('not now')
  expect(await snapshots.latest('a', NOW + 60_001, failing, PATIENT_MS)).toMatchObject({ value: { count: 1 } })
})

it('does not wait for a read of which the last one took longer than a request waits', async () => {
  const snapshots = new Snapshots<{ count: number }>()
  await snapshots.latest('a', NOW, () => pause(2, { count: 1 }), PATIENT_MS)
  const patienceMs = 1
  const reading = vi.fn(async () => ({ count: 2 }))
  expect(await snapshots.latest('a', NOW + 60_000, reading, patienceMs)).toMatchObject({ value: { count: 1 } })
  expect(reading).toHaveBeenCalledTimes(1)
  expect(await snapshots.latest('a', NOW + 60_000, reading, PATIENT_MS)).toMatchObject({ value: { count: 2 } })
})
