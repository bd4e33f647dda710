import { expect, it, onTestFinished } from 'vitest'
import { limitRefusals } from '../config/counts.ts'
import { LIMITS } from '../config/limits.ts'
import { createChecking } from './checking.ts'

/** Longer than any test waits. */
const PATIENT = { savedMs: 50, patienceMs: 60_000 }

/** A clock that goes on between checks, and during one by what the check holds it up: not by how slow the machine is. */
function newClock() {
  let at = 0
  const ticking = setInterval(() => at++, 1)
  onTestFinished(() => clearInterval(ticking))
  const block = (ms: number) => {
    at += ms
  }
  return { now: () => at, block }
}

/** What becomes of a document: checked at once or in its turn, or refused with a code. */
async function outcome(send: () => unknown): Promise<string | undefined> {
  try {
    await send()
    return 'checked'
  } catch (error) {
    return (error as { code?: string }).code
  }
}
const of = (organizationId: string, callerId = organizationId) => ({ organizationId, callerId })

it('documents that are not cached use a quarter of each second; beyond that they wait and then are RATE_LIMITED', async () => {
  const { now, block } = newClock()
  const check = createChecking({ now, savedMs: 50 })
  let ms = 0
  const work = () => {
    block(10)
    ms += 10
  }
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, i) => outcome(() => check(of(`org-${i}`), work))))
  const seconds = now() / 1000
  expect(new Set(outcomes)).toEqual(new Set(['checked', 'RATE_LIMITED']))
  expect(ms).toBeLessThanOrEqual(50 + 10 + seconds * LIMITS.documents)
})

it('an organization with few documents goes before one with many, and so does a caller in it', async () => {
  const { now, block } = newClock()
  const check = createChecking({ now, ...PATIENT })
  const order: string[] = []
  const send = (organization: string, caller: string) =>
    outcome(() =>
      check(of(organization, caller), () => {
        block(5)
        order.push(caller)
      }),
    )
  const flood = Array.from({ length: 40 }, () => send('acme', 'flood'))
  const [quiet, stranger] = [send('acme', 'quiet'), send('globex', 'stranger')]
  expect(await Promise.all([quiet, stranger])).toEqual(['checked', 'checked'])
  expect(order.indexOf('stranger')).toBeLessThan(order.indexOf('quiet'))
  expect(order.indexOf('quiet')).toBeLessThan(10)
  await Promise.all(flood)
})

it.for([
  ['one expensive document', { count: 4, ms: 11 }, 4],
  ['cheap ones for 10 ms', { count: 20, ms: 1 }, 2],
] as const)('an event-loop iteration checks at most %s', async ([_what, { count, ms }, expected]) => {
  const { now, block } = newClock()
  const check = createChecking({ now, ...PATIENT })
  let turn = 0
  const turns: number[] = []
  const counting = setInterval(() => {}, 1000)
  const next = () => {
    turn++
    if (counting.hasRef()) setImmediate(next)
  }
  setImmediate(next)
  const work = () => {
    turns.push(turn)
    block(ms)
  }
  await Promise.all(Array.from({ length: count }, () => check(of('acme'), work)))
  counting.unref()
  clearInterval(counting)
  expect(new Set(turns).size).toBe(expected)
})

it('at most 50 documents of an organization wait, and those of disconnected clients are skipped', async () => {
  const { now, block } = newClock()
  const check = createChecking({ now, ...PATIENT })
  await check(of('acme'), () => block(60)) // all that there was
  let checked = 0
  const gone = { ...of('acme'), isDisconnected: () => true }
  const outcomes = Array.from({ length: 51 }, () => outcome(() => check(gone, () => checked++)))
  expect(await outcomes[50]).toBe('RATE_LIMITED')
  expect(await outcome(() => check(of('globex'), () => checked++))).toBe('checked')
  await Promise.all(outcomes)
  expect(checked).toBe(1)
})

it('at most 500 documents wait, and the organization with the most of them makes room for others', async () => {
  const { now, block } = newClock()
  const check = createChecking({ now, ...PATIENT })
  await check(of('acme'), () => block(60)) // all that there was
  const before = limitRefusals.entries.get('documents_waiting') ?? 0
  const flood = Array.from({ length: 500 }, (_, i) => outcome(() => check(of(`flood-${i % 10}`), () => {})))
  expect(await outcome(() => check(of('flood-0'), () => {}))).toBe('RATE_LIMITED')
  const quiet = Array.from({ length: 5 }, () => outcome(() => check(of('quiet'), () => {})))
  expect(limitRefusals.entries.get('documents_waiting')).toBe(before + 5)
  expect(await Promise.all(quiet)).toEqual(Array(5).fill('checked'))
  await Promise.all(flood)
})

it('a refused document throws for its sender', async () => {
  const { now, block } = newClock()
  const check = createChecking({ now, ...PATIENT })
  const refuse = () => {
    block(60)
    throw Object.assign(new Error('no'), { code: 'NO' })
  }
  expect(await Promise.all([outcome(() => check(of('a'), refuse)), outcome(() => check(of('b'), refuse))])).toEqual([
    'NO',
    'NO',
  ])
})

it('a check during a pause of the process is charged as 80 ms', async () => {
  let at = 0
  const check = createChecking({ now: () => at, patienceMs: 60_000 })
  await check(of('acme'), () => {
    at += 60_000
  })
  expect(await outcome(() => check(of('acme'), () => {}))).toBe('checked')
})
