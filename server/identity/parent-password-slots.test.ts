import { expect, it } from 'vitest'
import type { ToParent, ToWorkers } from '../lib/leases/messages.ts'
import { createPasswordSlots, sharePasswordSlots } from './parent-password-slots.ts'

const oneTurn = () => new Promise((resolve) => setImmediate(resolve))

/** A parent and its workers in this process, and tasks that end when told so, in the order in which they began. */
function workersOf(options: { size: number; patienceMs?: number }) {
  const inParent = new Map<string, (worker: number, payload: unknown) => unknown>()
  const onGone: ((worker: number) => void)[] = []
  const toWorkers: ToWorkers = {
    ask: () => Promise.reject(new Error('nothing is asked of a worker')),
    onAsk: (kind, answer) => void inParent.set(kind, answer),
    onGone: (handle) => void onGone.push(handle),
  }
  sharePasswordSlots(toWorkers, options)
  let isLate = false
  const answered = async (worker: number, kind: string, payload: unknown) => {
    await oneTurn()
    const answer = inParent.get(kind)?.(worker, payload)
    if (isLate) throw new Error('no answer in time')
    return answer
  }
  const toParent = (worker: number): ToParent => ({
    ask: <Answer>(kind: string, payload: unknown) => answered(worker, kind, payload) as Promise<Answer>,
    onAsk: () => {},
  })
  const slots = [0, 1, 2].map((worker) => createPasswordSlots(toParent(worker)))
  const begun: string[] = []
  const running = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    run: (name: string) =>
      slots[Number(name[0])]?.(() => {
        begun.push(name)
        const task = Promise.withResolvers<string>()
        running.set(name, task)
        return task.promise
      }),
    async end(...names: string[]) {
      for (const name of names) running.get(name)?.resolve(name)
      await settled()
    },
    fail: (name: string) => running.get(name)?.reject(new Error(name)),
    kill(worker: number) {
      for (const handle of onGone) handle(worker)
    },
    /** Answers are lost from now on, or no more. */
    loseAnswers(isSo: boolean) {
      isLate = isSo
    },
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await oneTurn()
}

it('all workers together run as many at once as there are slots, and take turns', async () => {
  const { run, begun, end } = workersOf({ size: 2 })
  const all = ['0a', '0b', '0c', '0d', '1a', '2a'].map(run)
  await settled()
  expect(begun).toEqual(['0a', '0b'])
  await end('0a')
  await end('0b')
  expect(begun).toEqual(['0a', '0b', '1a', '2a']) // the others have used nothing yet
  await end('1a')
  await end('2a')
  expect(begun.slice(4)).toEqual(['0c', '0d'])
  await end('0c', '0d')
  expect(await Promise.all(all)).toEqual(['0a', '0b', '0c', '0d', '1a', '2a'])
})

it('what a worker held, and waited for, is free when it is gone', async () => {
  const { run, begun, kill } = workersOf({ size: 1 })
  const [, waiting] = ['0a', '0b', '1a'].map(run)
  const refused = expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await settled()
  kill(0)
  await refused
  await settled()
  expect(begun).toEqual(['0a', '1a'])
})

it('whoever waits too long is refused, and holds nothing', async () => {
  const { run, begun, end } = workersOf({ size: 1, patienceMs: 1 })
  const held = run('0a')
  await settled()
  await expect(run('1a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await end('0a')
  expect(await held).toBe('0a')
  void run('1b')
  await settled()
  expect(begun).toEqual(['0a', '1b'])
})

it('a slot whose grant was lost is returned', async () => {
  const { run, begun, loseAnswers } = workersOf({ size: 1 })
  loseAnswers(true)
  await expect(run('0a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await settled()
  loseAnswers(false)
  void run('1a')
  await settled()
  expect(begun).toEqual(['1a'])
})

it('a task that fails returns its slot', async () => {
  const { run, begun, fail } = workersOf({ size: 1 })
  const failing = run('0a')
  await settled()
  fail('0a')
  await expect(failing).rejects.toThrow('0a')
  void run('1a')
  await settled()
  expect(begun).toEqual(['0a', '1a'])
})
