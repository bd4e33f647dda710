import { describe, expect, it } from 'vitest'
import type { Refusals } from '../../../api/bulk-devices.ts'
import { ApiError } from '../../../api/client.ts'
import { partsOf, writeRows } from './write-rows.ts'

const rows = Array.from({ length: 1200 }, (_, i) => ({ line: i + 2, input: { name: `device-${i}` } }))
const fine = (count: number): Refusals => Array.from({ length: count }, () => [])

/** A portal that answers its calls in turn. */
function portal(...answers: (Refusals | Error | undefined)[]) {
  const sizes: number[] = []
  const send = async (inputs: unknown[]): Promise<Refusals> => {
    const answer = answers[sizes.length] ?? fine(inputs.length)
    sizes.push(inputs.length)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { sizes, send }
}

function write(send: (inputs: unknown[]) => Promise<Refusals>, stopAt = Number.POSITIVE_INFINITY) {
  const stop = new AbortController()
  const onWritten = (count: number) => {
    if (count >= stopAt) stop.abort()
  }
  return writeRows(rows, send, { signal: stop.signal, onWritten })
}

describe('writing the lines of a file', () => {
  it('takes five hundred at a time', async () => {
    const { sizes, send } = portal()
    expect(await write(send)).toMatchObject({ written: { length: 1200 }, rest: [], errors: [], failure: undefined })
    expect(sizes).toEqual([500, 500, 200])
  })

  it('ends with the first part that is refused, and blames only the lines at fault', async () => {
    const notApplied = { code: 'NOT_APPLIED', message: 'Another item was refused.', field: null }
    const refused = ['name', 'tags'].map((field) => ({ code: 'BAD_USER_INPUT', message: `${field}: no.`, field }))
    const answer: Refusals = Array.from({ length: 500 }, (_, i) => (i === 7 ? refused : [notApplied]))
    const { sizes, send } = portal(undefined, answer)
    const report = await write(send)
    expect(sizes).toEqual([500, 500])
    expect([report.written.at(-1)?.line, report.rest[0]?.line, report.rest.length]).toEqual([501, 502, 700])
    expect(report.errors, 'everything that is wrong with the line').toMatchObject([
      { line: 509, field: 'name', message: 'no.' },
      { line: 509, field: 'tags', message: 'no.' },
    ])
  })

  it('ends where the portal cannot be reached', async () => {
    const lost = new ApiError('Gone.', { code: 'OFFLINE', isOutcomeKnown: false })
    const report = await write(portal(undefined, lost).send)
    expect(report).toMatchObject({ failure: lost, errors: [], rest: { length: 700 }, written: { length: 500 } })
  })

  it('ends after the part that is under way when it is stopped', async () => {
    const { sizes, send } = portal()
    expect(await write(send, 1)).toMatchObject({ written: { length: 500 }, rest: { length: 700 }, failure: undefined })
    expect(sizes).toEqual([500])
  })

  it('keeps each call within what the portal takes', () => {
    const long = rows.map(({ line }) => ({ line, input: { name: `${line}`, description: 'é'.repeat(1000) } }))
    const many = rows.map(({ line }) => ({
      line,
      input: { name: `${line}`, tags: Array.from({ length: 20 }, String) },
    }))
    const sizes = (given: typeof rows) => [...partsOf(given)].map((part) => new Blob([JSON.stringify(part)]).size)
    expect(Math.max(...sizes(long))).toBeLessThan(256 * 1024)
    expect([...partsOf(long)].flat()).toEqual(long)
    const values = [...partsOf(many)].map((part) => part.length * 25)
    expect(Math.max(...values)).toBeLessThan(10_000)
  })
})
