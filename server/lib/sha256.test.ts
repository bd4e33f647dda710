import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { sha256OfShortText } from './sha256.ts'

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 55 })

it('is the SHA-256 of OpenSSL for every short text', () => {
  fc.assert(
    fc.property(ascii, (text) => {
      expect(sha256OfShortText(text)).toEqual(hash('sha256', text, 'buffer'))
    }),
    { numRuns: 5000 },
  )
})

it('is right for every length, and leaves nothing of one text for the next', () => {
  for (let length = 55; length >= 0; length--) {
    const text = '\x7f'.repeat(length)
    expect(sha256OfShortText(text)).toEqual(hash('sha256', text, 'buffer'))
  }
})

it('knows the examples of the standard', () => {
  const hex = (text: string) => Buffer.from(sha256OfShortText(text) ?? []).toString('hex')
  expect(hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})

it('leaves longer texts and other characters to OpenSSL', () => {
  expect(sha256OfShortText('a'.repeat(56))).toBeUndefined()
  expect(sha256OfShortText('caf\u00e9')).toBeUndefined()
  expect(sha256OfShortText('\u{1f600}')).toBeUndefined()
})
