import { expect, it } from 'vitest'
import { HOUR, SECOND } from '../../lib/clock.ts'
import { createLog } from '../../lib/log.ts'
import { mintSecret } from '../../secrets/secret.ts'
import { type CountedUse, createUsageCounter } from './counter.ts'

const START = Date.UTC(2026, 10, 15, 12)
const CALL = { at: START, from: '10.0.0.1', agent: 'curl' }
const silent = createLog('silent')

/** A counter whose rows are kept as a database would: the last word of each writer counts. */
function counting({ broken = () => false, onWrite = () => {} }: { broken?: () => boolean; onWrite?: () => void } = {}) {
  const rows = new Map<string, { calls: number; errors: number; hour: number }>()
  const batches: string[][] = []
  const write = async (uses: readonly CountedUse[]) => {
    const copies = uses.map(({ keyId, hour, writer, use: { calls, errors } }) => ({
      keyId,
      hour,
      writer,
      calls,
      errors,
    }))
    onWrite()
    if (broken()) throw new Error('no database')
    batches.push(copies.map(({ keyId }) => keyId))
    for (const { keyId, hour, writer, calls, errors } of copies)
      rows.set(`${keyId} ${hour} ${writer}`, { calls, errors, hour })
  }
  const usage = createUsageCounter(write, silent)
  const totals = () =>
    [...rows.values()].reduce((sum, row) => ({ calls: sum.calls + row.calls, errors: sum.errors + row.errors }), {
      calls: 0,
      errors: 0,
    })
  return { usage, rows, batches, totals }
}

it('writes a key once per flush, however often it was used, and nothing if there was no call', async () => {
  const { usage, batches, totals } = counting()
  for (let i = 0; i < 1000; i++) usage.noteCall('a', { ...CALL, at: START + i })
  usage.noteCall('b', { at: START, from: '10.0.0.1' })
  await usage.flush()
  await usage.flush()
  await usage.close()
  expect(batches).toEqual([['a', 'b']])
  expect(totals()).toEqual({ calls: 1001, errors: 0 })
})

it('counts calls during a write, and after a failed write, exactly once', async () => {
  let failures = 2
  const counted = counting({
    broken: () => failures-- > 0,
    onWrite: () => counted.usage.noteCall('a', CALL),
  })
  const { usage, totals } = counted
  for (let i = 0; i < 10; i++) usage.noteCall('a', CALL)
  usage.noteRefusedCall('b', START)
  for (let i = 0; i < 4; i++) await usage.flush()
  expect(totals()).toEqual({ calls: 13, errors: 1 })
  await usage.close()
})

it('keeps hours separate, and writes the last counts of an hour after the next one has begun', async () => {
  const { usage, rows } = counting()
  usage.noteCall('a', { ...CALL, at: START + HOUR - 1 })
  usage.noteCall('a', { ...CALL, at: START + HOUR })
  usage.noteCall('a', { ...CALL, at: START + HOUR - 5 * SECOND }) // the clock was set back
  await usage.close()
  expect([...rows.values()].map(({ hour, calls }) => [hour, calls])).toEqual([
    [START, 1],
    [START + HOUR, 1],
    [START, 1],
  ])
})

it('stores a bounded number of addresses, user agents and operations, and counts the others', async () => {
  const names: unknown[] = []
  const usage = createUsageCounter(async ([counted]) => {
    names.push(JSON.parse(JSON.stringify(counted?.use.addresses)), JSON.parse(JSON.stringify(counted?.use.agents)))
  }, silent)
  for (let i = 0; i < 1000; i++)
    usage.noteCall('a', { at: START, from: `10.0.0.${i % 250}`, agent: `${'long'.repeat(1000)}${i}` })
  await usage.close()
  const [addresses, agents] = names as [string, number][][]
  expect(addresses).toHaveLength(21)
  expect(addresses?.at(-1)).toEqual([null, 1000 - 20 * 4])
  expect(agents).toEqual([['long'.repeat(50), 1000]])
})

it('stores 20 values of each kind and 500 fields at most, of calls while the key was paused too', async () => {
  let written = ''
  const usage = createUsageCounter(async ([counted]) => {
    written = JSON.stringify(counted?.use)
  }, silent)
  for (let i = 0; i < 600; i++) {
    const call = { from: `10.0.${i}.1`, agent: `agent/${i}` }
    usage.noteCall('a', { at: START, ...call, operation: `Operation${i}`, fields: [`field${i}`] })
    usage.noteWhilePaused('a', START, { pausedAt: START, ...call })
  }
  await usage.close()
  const { addresses, agents, operations, fields, paused } = JSON.parse(written) as Record<string, unknown[]> & {
    paused: Record<string, unknown[]>
  }
  for (const values of [addresses, agents, operations, paused['addresses'], paused['agents']]) {
    expect(values).toHaveLength(21)
    expect(values?.at(-1)).toEqual([null, 600 - 20])
  }
  expect(fields).toHaveLength(501)
  expect(fields?.at(-1)).toEqual([null, 600 - 500])
})

it('a key that was only refused has no last use', async () => {
  let written: unknown
  const usage = createUsageCounter(async ([counted]) => {
    written = counted && { calls: counted.use.calls, errors: counted.use.errors, lastAt: counted.use.lastAt }
  }, silent)
  usage.noteRefusedCall('a', START)
  await usage.close()
  expect(written).toEqual({ calls: 0, errors: 1, lastAt: 0 })
})

it('stores no secrets, no control characters and no long texts that callers send', async () => {
  let written = ''
  const usage = createUsageCounter(async ([counted]) => {
    written = JSON.stringify(counted?.use)
  }, silent)
  const secret = mintSecret('emp_')
  const [from, agent] = [`10.0.0.1\u009b2J${'9'.repeat(100)}`, `\u009b31m${secret}`]
  usage.noteCall('a', { at: START, from, agent, operation: secret })
  usage.noteCall('a', { ...CALL, agent: 'x'.repeat(15_000), operation: 'y'.repeat(15_000) })
  await usage.close()
  expect(written).not.toContain(secret)
  expect(written).toContain('31m[secret]')
  expect(written).not.toMatch(/\u009b|x{201}|y{81}|9{65}/)
})

it('flushes that are requested while the database is unavailable are merged', async () => {
  const away = Promise.withResolvers<void>()
  let writes = 0
  const usage = createUsageCounter(async () => {
    writes++
    await away.promise
    throw new Error('no database')
  }, silent)
  usage.noteCall('a', CALL)
  const first = usage.flush()
  await new Promise((resolve) => setImmediate(resolve))
  usage.noteCall('a', CALL)
  const others = Array.from({ length: 20 }, () => usage.flush())
  away.resolve()
  await Promise.all([first, ...others])
  expect(writes).toBe(2)
  await usage.close()
})
