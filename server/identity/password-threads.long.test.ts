import type { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { CHEAPEST, startWorld } from '../../test/support/world/world.ts'
import { argon2id, createPasswords } from './password.ts'
import { createPasswordThreads, passwordsAtOnce } from './password-threads.ts'

function startThreads() {
  const threads = createPasswordThreads()
  onTestFinished(threads.close)
  return threads
}

const input = (password: string) => ({
  message: Buffer.from(password),
  nonce: Buffer.from('a salt of 16 by.'),
  tagLength: 32,
  ...CHEAPEST,
})

it('computes the same hash as the process itself, and does not change its input', async () => {
  const { derive } = startThreads()
  const asked = input('a long enough passphrase')
  expect(await derive(asked)).toEqual(await argon2id(input('a long enough passphrase')))
  expect(asked.message.toString()).toBe('a long enough passphrase')
})

it('computes many hashes at once on few threads', async () => {
  const threads = startThreads()
  const { from } = createPasswords({ cost: CHEAPEST, derive: threads.derive, atOnce: 2 })
  const passwords = Array.from({ length: 15 }, (_, i) => `a long enough passphrase ${i}`)
  const stored = await Promise.all(passwords.map((password) => from('here').hash(password)))
  const right = await Promise.all(passwords.map((password, i) => from('here').verify(password, stored[i])))
  expect(new Set(right)).toEqual(new Set([true]))
  expect(await from('here').verify('another passphrase', stored[0])).toBe(false)
})

it('workers together have at most four threads, or one each', () => {
  for (const workers of [1, 2, 3, 4]) {
    expect(passwordsAtOnce(workers)).toBeGreaterThanOrEqual(1)
    expect(passwordsAtOnce(workers)).toBeLessThanOrEqual(4 / workers)
  }
  expect(passwordsAtOnce(64)).toBe(1)
})

it('a failed hash is rejected, and the next one runs on a new thread', async () => {
  const { derive } = startThreads()
  await expect(derive({ ...input('x'), memory: -1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  expect(await derive(input('x'))).toHaveLength(32)
})

it('rejects waiting hashes once closed', async () => {
  const threads = createPasswordThreads()
  const slow = threads.derive({ ...input('x'), memory: 19_456, passes: 50 })
  const refused = expect(slow).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await threads.close()
  await refused
})

it('a server starts its threads for its first password, and ends them when it closes', async () => {
  const started: Worker[] = []
  const note = (worker: Worker) => started.push(worker)
  process.on('worker', note)
  onTestFinished(() => void process.off('worker', note))
  const world = await startWorld({ tuning: { passwordThreads: undefined } })
  await world.signUp('Ada')
  expect(started.map(({ threadId }) => threadId)).toEqual([expect.toSatisfy((id) => id > 0)])
  await world.close()
  expect(started.map(({ threadId }) => threadId)).toEqual([-1])
})
