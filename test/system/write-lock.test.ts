import { expect, it } from 'vitest'
import { codesOf, fieldOf } from '../support/people.ts'
import { holdWriteLock, startDemo, temporaryFolder } from '../support/portal-process.ts'

const CLIENTS = 4
const CREATE = 'mutation ($name: String!) { createDevice(input: { name: $name }) { name } }'

it('key lookups stay fast while another process holds the write lock, and a mutation waits and succeeds', async ({
  annotate,
}) => {
  const folder = temporaryFolder()
  const portal = await startDemo(folder)
  const ask = portal.asKey(portal.secret)
  await ask('{ viewer { role } }')
  const letGo = holdWriteLock(folder)
  let written = false
  const writing = ask(CREATE, { name: 'patient' }).finally(() => {
    written = true
  })

  const heldAt = performance.now()
  const times = await timesOf(ask, () => performance.now() - heldAt > 1500)
  expect(written).toBe(false)
  letGo()
  expect(fieldOf(await writing)).toEqual({ name: 'patient' })
  await annotate(`${times.length} lookups while the lock was held, p99 ${p99(times).toFixed(1)} ms.`)
  expect(times.length).toBeGreaterThan(100)
  expect(p99(times)).toBeLessThan(250)
})

it('a mutation that finds the lock held for too long is told to come back, and reads go on meanwhile', async ({
  annotate,
}) => {
  const folder = temporaryFolder()
  const portal = await startDemo(folder)
  const ask = portal.asKey(portal.secret)
  await ask('{ viewer { role } }')
  const letGo = holdWriteLock(folder)
  const heldAt = performance.now()
  let waited = 0
  const writing = ask(CREATE, { name: 'impatient' }).finally(() => {
    waited = performance.now() - heldAt
  })

  const times = await timesOf(ask, () => waited > 0)
  const refused = await writing
  expect({ status: refused.status, codes: codesOf(refused) }).toEqual({ status: 503, codes: ['UNAVAILABLE'] })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(waited).toBeGreaterThan(4900)
  expect(p99(times)).toBeLessThan(250)
  await annotate(`Refused after ${Math.round(waited)} ms; ${times.length} lookups, p99 ${p99(times).toFixed(1)} ms.`)

  letGo()
  expect(fieldOf(await ask(CREATE, { name: 'impatient' }))).toEqual({ name: 'impatient' })
})

/** How long each call took, in milliseconds, of some clients that ask without a pause until it is enough. */
async function timesOf(ask: (query: string) => Promise<{ status: number }>, isEnough: () => boolean) {
  const times: number[] = []
  const client = async () => {
    while (!isEnough()) {
      const before = performance.now()
      const { status } = await ask('{ viewer { role } }')
      times.push(performance.now() - before)
      expect(status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  return times
}

const p99 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
