import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { isRandom, readValue } from './value.ts'

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const BASE62 = LOWER + UPPER + DIGITS
const HEX = '0123456789abcdef'
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Texts of random characters, the same for the same seed. */
function generator(seed: string) {
  let count = 0
  return (alphabet: string, length: number): string => {
    const bytes = Buffer.concat(
      Array.from({ length: Math.ceil(length / 64) }, () => createHash('sha512').update(`${seed} ${count++}`).digest()),
    )
    // 256 is no multiple of every alphabet's size: what is left over makes no difference here
    return [...bytes.subarray(0, length)].map((byte) => alphabet[byte % alphabet.length]).join('')
  }
}

type Draw = ReturnType<typeof generator>

const uuid = (draw: Draw, version: string) =>
  `${draw(HEX, 8)}-${draw(HEX, 4)}-${version}${draw(HEX, 3)}-${draw('89ab', 1)}${draw(HEX, 3)}-${draw(HEX, 12)}`

const GENERATED: Record<string, (draw: Draw) => string> = {
  'UUID, version 4': (draw) => uuid(draw, '4'),
  'UUID in upper case': (draw) => uuid(draw, '4').toUpperCase(),
  'UUID, version 7': (draw) => `019a${draw(HEX, 4)}${uuid(draw, '7').slice(8)}`,
  'UUID with a prefix': (draw) => `stripe-node-retry-${uuid(draw, '4')}`,
  '32 hexadecimal digits': (draw) => draw(HEX, 32),
  '64 in upper case': (draw) => draw(HEX, 64).toUpperCase(),
  ULID: (draw) => `01KA6${draw(CROCKFORD, 21)}`,
  KSUID: (draw) => `2${draw(BASE62, 26)}`,
  nanoid: (draw) => draw(`${BASE62}_-`, 21),
  '22 of base64url': (draw) => draw(`${BASE62}_-`, 22),
  '16 bytes in base64': (draw) => `${draw(`${BASE62}+/`, 22)}==`,
  '32 bytes in base64': (draw) => `${draw(`${BASE62}+/`, 43)}=`,
  '22 letters and digits': (draw) => draw(BASE62, 22),
}

/** `IDEMPOTENCY_VALUES=1000000` tries so many of each. */
const COUNT = Number(process.env['IDEMPOTENCY_VALUES'] ?? 1_000)
const SEED = process.env['IDEMPOTENCY_SEED'] ?? 'values'

it.each(Object.keys(GENERATED))(
  `accepts every %s of ${COUNT}, seed ${SEED}`,
  (what) => {
    const draw = generator(`${SEED} ${what}`)
    for (let count = 0; count < COUNT; count += 1) {
      const value = GENERATED[what]?.(draw) ?? ''
      if (!isRandom(value)) expect.fail(value)
    }
  },
  600_000,
)

it.each([
  'invoice-2026-11-16-customer-4711',
  'INVOICE-2026-11-16-CUSTOMER-4711',
  'invoice_2026_11_16_customer_4711',
  'invoice20261116customer4711',
  'InvoiceForCustomerAcme2026Number17',
  'createDeviceEdgeGateway0001',
  'Create-Device-Edge-Gateway-1',
  'Rechnung-2026-11-Kunde-4711',
  'order-20261116-000000000001',
  'user42-device17-create-v1',
  'gitlab-pipeline-98765-job-12345',
  'nightly-sync-2026-11-16',
  'correct-horse-battery-staple',
  'abcdefghijklmnopqrstuvwxyz',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  '12345678901234567890123456',
  '2026-11-16T10:15:00Z-acme-7',
  'order:4711:customer:0815:attempt:1',
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-4000-8000-000000000001',
  'create-device-00000000-0000-0000-0000-000000000000',
  'ffffffffffffffffffffffffffffffff',
  'aB3-xY7_qL9',
  'xY7'.repeat(20),
])('refuses what can be guessed: %s', (value) => {
  expect(() => readValue(value)).toThrow(/^Idempotency-Key: a UUID, or at least as random/)
})

it('a UUID is the same in upper and in lower case, and in quotes', () => {
  const value = '3F2504E0-4F89-41D3-9A0C-0305E82C3301'
  const { hash } = readValue(value)
  expect(readValue(value.toLowerCase()).hash).toEqual(hash)
  expect(readValue(`"${value}"`).hash).toEqual(hash)
})

it('of other values, upper and lower case are not the same', () => {
  expect(readValue('V1StGXR8_Z5jdHi6B-myTx').hash).not.toEqual(readValue('v1StGXR8_Z5jdHi6B-myTx').hash)
})
