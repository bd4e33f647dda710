import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { AppError } from './app-error.ts'
import { isPrintable } from './check.ts'
import { LAST_MOMENT } from './clock.ts'
import { decodeCursor, encodeCursor, pageOf, pageSize } from './page.ts'

const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, field: error.details.field }
    throw error
  }
  return undefined
}

it('C3: decoding a cursor returns the values that were encoded', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }).filter(isPrintable),
      fc.integer({ min: 0, max: LAST_MOMENT }),
      (text, number) => {
        expect(decodeCursor({ after: encodeCursor([text, number]) }, ['string', 'number'])).toEqual([text, number])
      },
    ),
  )
})

it('refuses any other text as a cursor, and names the field', () => {
  const wrong = [
    '',
    'garbage',
    'e30',
    encodeCursor([1]),
    encodeCursor(['a', 'b']),
    encodeCursor(['a\0b']),
    '%%%',
    'bnVsbA',
    '\u{1f600}',
    encodeCursor(['a\u001bb']),
    encodeCursor(['x'.repeat(6_001)]),
    Buffer.from('["\\ud800"]').toString('base64url'),
    'x'.repeat(200_000),
  ]
  for (const after of wrong) {
    expect(
      refusal(() => decodeCursor({ after }, ['string'])),
      after,
    ).toEqual({ code: 'BAD_USER_INPUT', field: 'after' })
  }
})

it('accepts only valid times as numbers in a cursor', () => {
  for (const at of [-1, LAST_MOMENT + 1, Number.MAX_SAFE_INTEGER, 0.5]) {
    expect(refusal(() => decodeCursor({ after: encodeCursor([at]) }, ['number']))).toMatchObject({ field: 'after' })
  }
  expect(decodeCursor({ after: encodeCursor([LAST_MOMENT]) }, ['number'])).toEqual([LAST_MOMENT])
})

it('C3: a page has at most the requested size, and says whether more follow', () => {
  const page = pageOf([1, 2, 3], 2, String, async () => 3)
  expect(page).toMatchObject({ data: [1, 2], pageInfo: { hasNextPage: true } })
  expect(page.pageInfo.endCursor()).toBe('2')
  const empty = pageOf([], 2, String, async () => 0).pageInfo
  expect([empty.hasNextPage, empty.endCursor()]).toEqual([false, null])
})

it('accepts a page size of 1 to 500, with a default of 100', () => {
  expect(pageSize({})).toBe(100)
  expect(pageSize({ first: 500 })).toBe(500)
  for (const first of [0, -1, 501, Number.NaN]) {
    expect(refusal(() => pageSize({ first }))).toEqual({ code: 'BAD_USER_INPUT', field: 'first' })
  }
})
