import { expect, it, vi } from 'vitest'
import { AppError } from './app-error.ts'
import { SECOND } from './clock.ts'
import { createLog } from './log.ts'
import { logUnavailable } from './unavailable.ts'

it('logs the reason of an outage once a second, and every request at debug level', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  for (const [level, expected] of [
    ['info', 1],
    ['debug', 500],
  ] as const) {
    vi.advanceTimersByTime(SECOND)
    const lines: string[] = []
    const log = createLog(level, { write: (line: string) => lines.push(line) })
    const failure = new AppError('UNAVAILABLE', { cause: new Error('no disk') })
    for (let i = 0; i < 500; i++) logUnavailable(log, failure, `r-${i}`)
    expect(lines).toHaveLength(expected)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', requestId: 'r-0', err: { message: 'no disk' } })
  }
  vi.useRealTimers()
})
