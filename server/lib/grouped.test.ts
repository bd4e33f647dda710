import { expect, it } from 'vitest'
import { grouped } from './grouped.ts'

it.each([0, 7, 999, 1000, 10_000, 123_456, 1_234_567])('%d is written as people do', (number) => {
  expect(grouped(number)).toBe(number.toLocaleString('en'))
})
