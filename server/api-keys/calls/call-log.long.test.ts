import { expect, it } from 'vitest'
import { createLog } from '../../lib/log.ts'
import { mintSecret } from '../../secrets/secret.ts'
import { type Call, callsIn, MAX_LINE_LENGTH } from './call-lines.ts'
import { type CallLogEntry, createCallLog } from './call-log.ts'

const START = Date.UTC(2026, 10, 15, 12)
const silent = createLog('silent')

const callAt = (at: number, more: Partial<Call> = {}): Call => ({
  ...{ at, operation: 'devices', address: '10.0.0.1', status: 200, ms: 1.23456, code: undefined },
  ...more,
})

function logging(isBroken = () => false) {
  const written: CallLogEntry[] = []
  const write = async (entries: readonly CallLogEntry[]) => {
    if (isBroken()) throw new Error('no database')
    written.push(...entries)
  }
  return { written, calls: createCallLog(write, silent, () => START) }
}

it('keeps the last 100 accepted and the last 100 refused calls of a key, and writes each once', async () => {
  const { written, calls } = logging()
  for (let i = 0; i < 250; i++) calls.note('a', true, callAt(START + i))
  for (let i = 0; i < 130; i++) calls.note('a', false, callAt(START + i, { status: 401 }))
  await calls.flush()
  await calls.flush()
  const [entry, ...others] = written
  expect(others).toEqual([])
  const times = (lines = '') => callsIn(lines).map(({ call }) => call.at - START)
  expect(times(entry?.accepted)).toEqual(Array.from({ length: 100 }, (_, i) => 249 - i))
  expect(times(entry?.refused)).toEqual(Array.from({ length: 100 }, (_, i) => 129 - i))
  expect(entry?.since).toBe(START + 30)
})

it('a write that fails is tried again, once', async () => {
  let failures = 1
  const { written, calls } = logging(() => failures-- > 0)
  calls.note('a', true, callAt(START))
  await calls.flush()
  calls.note('a', true, callAt(START + 1))
  await calls.flush()
  expect(written.map(({ accepted }) => callsIn(accepted).map(({ call }) => call.at - START))).toEqual([[0], [1]])
})

it('a flush writes the keys that have waited longest, at most 100 of them', async () => {
  const { written, calls } = logging()
  for (let i = 0; i < 250; i++) calls.note(`k${i}`, true, callAt(START))
  await calls.flush()
  expect(written).toHaveLength(100)
  expect(written.map(({ keyId }) => Number(keyId.slice(1))).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 100 }, (_, i) => i),
  )
  await calls.flush({ all: true })
  expect(written).toHaveLength(250)
})

it('memory is bounded: with very many keys, calls replace older ones of the same key', async () => {
  const { written, calls } = logging()
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 30_000; i++) calls.note(`k${i}`, true, callAt(START + round))
  }
  await calls.flush({ all: true })
  const stored = written.flatMap(({ accepted }) => callsIn(accepted).map(({ call }) => call.at - START))
  expect(stored).toHaveLength(50_000)
  expect(stored.filter((round) => round === 2)).toHaveLength(30_000)
})

it('a line has no secret and no control character, and is never longer than said', async () => {
  const { written, calls } = logging()
  const secret = mintSecret('emp_')
  const long = { operation: `${secret}${'y'.repeat(500)}`, address: `\u009b${'9'.repeat(500)}`, code: 'C'.repeat(500) }
  calls.note('a', true, callAt(9_999_999_999_999, { ...long, ms: 99_999.9, status: 503 }))
  await calls.flush()
  const { accepted } = written[0] ?? { accepted: '' }
  expect(accepted).not.toMatch(/\u009b|y{61}|9{46}|C{31}/)
  expect(accepted).not.toContain(secret)
  expect(accepted.length).toBeLessThan(MAX_LINE_LENGTH)
})
