import { expect, it } from 'vitest'
import { AppError } from '../../lib/app-error.ts'
import { createKeyedRequests, readIdempotencyKey } from './keyed-request.ts'

const ours = createKeyedRequests('a secret of this portal, long enough to be one')
const theirs = createKeyedRequests('a secret of another portal, as long as that')

it.each([
  'order-2026-11-18-1',
  '1',
  '7f3e2a10-0000-4000-8000-0305e82c3301',
  'Nightly sync, 10:15 (attempt 1)',
  ' !#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~"',
  '~'.repeat(255),
])('any printable text is a value: %s', (value) => {
  expect(readIdempotencyKey(value)).toBe(value)
})

it('a value is the same with quotes around it, and another in another case', () => {
  expect(readIdempotencyKey('"order 1"')).toBe('order 1')
  expect(readIdempotencyKey(`"${'x'.repeat(255)}"`)).toBe('x'.repeat(255))
  expect(readIdempotencyKey('Order 1')).not.toBe('order 1')
})

it.each([
  ['nothing', ''],
  ['nothing between quotes', '""'],
  ['256 characters', 'x'.repeat(256)],
  ['256 between quotes', `"${'x'.repeat(256)}"`],
  ['a tab', 'order\t1'],
  ['a line break', 'order\n'],
  ['a control character', 'order\x7f'],
  ['what is not ASCII', 'größe-1'],
])('%s is refused, and not repeated', (_what, value) => {
  const refusal = new AppError('BAD_REQUEST', {
    message: 'Idempotency-Key: 1 to 255 printable ASCII characters.',
    field: 'Idempotency-Key',
  })
  expect(() => readIdempotencyKey(value)).toThrow(refusal)
})

it('a record is found by its caller and value, whatever the request was', () => {
  const { valueHash } = ours('ada', 'order-1', 'one')
  expect(ours('ada', 'order-1', 'other').valueHash).toEqual(valueHash)
  for (const [caller, value] of [
    ['ada', 'order-2'],
    ['bob', 'order-1'],
    ['ada order-1', ''],
    ['', 'ada order-1'],
  ] as const)
    expect(ours(caller, value, 'one').valueHash).not.toEqual(valueHash)
})

it('the same request of another caller, or with another value, has another hash', () => {
  const { bodyHash } = ours('ada', 'order-1', 'one')
  expect(ours('ada', 'order-1', 'one').bodyHash).toEqual(bodyHash)
  for (const [caller, value, body] of [
    ['ada', 'order-1', 'other'],
    ['ada', 'order-2', 'one'],
    ['bob', 'order-1', 'one'],
  ] as const)
    expect(ours(caller, value, body).bodyHash).not.toEqual(bodyHash)
})

it('nothing that is stored can be computed or read without the secret', () => {
  const [mine, guessed] = [ours, theirs].map((keyedRequest) => keyedRequest('ada', 'order-1', 'one'))
  if (!mine || !guessed) throw new Error('Two of two.')
  expect(guessed.valueHash.subarray(-32)).not.toEqual(mine.valueHash.subarray(-32))
  expect(guessed.bodyHash).not.toEqual(mine.bodyHash)
  const encrypted = mine.encryption.encrypt('answer', 'record')
  expect(mine.encryption.decrypt(encrypted, 'record')).toBe('answer')
  expect(() => guessed.encryption.decrypt(encrypted, 'record')).toThrow()
})

it('the hashes of one secret stand together, and those of another before or behind them', () => {
  const isBetween = (hash: Buffer, { first, last }: { first: Buffer; last: Buffer }) =>
    Buffer.compare(hash, first) > 0 && Buffer.compare(hash, last) < 0
  for (let i = 0; i < 100; i++) {
    const [mine, other] = [ours('ada', `order-${i}`, ''), theirs('ada', `order-${i}`, '')]
    expect([isBetween(mine.valueHash, mine.hashesOfSecret), isBetween(other.valueHash, mine.hashesOfSecret)]).toEqual([
      true,
      false,
    ])
  }
})
