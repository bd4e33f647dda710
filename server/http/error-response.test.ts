import { expect, it } from 'vitest'
import { AppError } from '../lib/app-error.ts'
import { errorAnswer } from './error-response.ts'

const retryAfter = (failure: AppError) => errorAnswer(failure, 'r').headers['retry-after']

it('an answer of 503 always says when to try again', () => {
  expect(retryAfter(new AppError('UNAVAILABLE'))).toBe('1')
  expect(retryAfter(new AppError('UNAVAILABLE', { retryAfterSeconds: 5 }))).toBe('5')
  expect(retryAfter(new AppError('NOT_FOUND'))).toBeUndefined()
})
