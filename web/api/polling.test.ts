import { expect, it } from 'vitest'
import { ApiError } from './client.ts'
import { every } from './polling.ts'

const after = (code: string, retryAfterSeconds?: number) => ({
  state: {
    status: 'error',
    error: new ApiError('no', { code, ...(retryAfterSeconds && { retryAfterSeconds }) }),
  },
})

it('a page polls at its own rate while it is answered', () => {
  expect(every(15_000)({ state: { status: 'success', error: null } })).toBe(15_000)
  expect(every(15_000)(after('FORBIDDEN'))).toBe(15_000)
})

it('less often while the portal has problems, and never before Retry-After', () => {
  expect(every(15_000)(after('UNAVAILABLE'))).toBe(60_000)
  expect(every(15_000)(after('RATE_LIMITED', 300))).toBe(300_000)
  expect(every(2_000)(after('RATE_LIMITED', 1))).toBe(8_000)
  expect(every(600_000)(after('OFFLINE'))).toBe(600_000)
})
