import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { ANY_SECRET, hashSecret, isWellFormed, mintSecret, SECRET_PREFIXES } from './secret.ts'

it('K4, K12: every secret is new, and has the published format', () => {
  const minted = Array.from({ length: 2000 }, () => mintSecret('emp_'))

  expect(new Set(minted).size).toBe(2000)
  for (const secret of minted) expect(secret).toMatch(/^emp_[0-9A-Za-z]{49}$/)
  expect(minted.every((secret) => isWellFormed('emp_', secret))).toBe(true)
})

it('has 256 random bits: every bit of the random part occurs set and unset', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let set = 0n
  let unset = 0n
  for (let i = 0; i < 500; i++) {
    const value = [...mintSecret('emp_').slice(4, 47)].reduce((sum, c) => sum * 62n + BigInt(alphabet.indexOf(c)), 0n)
    expect(value < 2n ** 256n).toBe(true)
    set |= value
    unset |= ~value & (2n ** 256n - 1n)
  }
  expect(set).toBe(2n ** 256n - 1n)
  expect(unset).toBe(2n ** 256n - 1n)
})

it('detects any single mistyped character by its checksum', () => {
  fc.assert(
    fc.property(fc.nat(52), fc.constantFrom(...'0aZ9_-~ \u00e9'), (place, character) => {
      const secret = mintSecret('emp_')
      fc.pre(secret[place] !== character)
      return !isWellFormed('emp_', secret.slice(0, place) + character + secret.slice(place + 1))
    }),
  )
})

it('refuses a session, an invitation or a longer text as a key', () => {
  expect(isWellFormed('emp_', mintSecret('ems_'))).toBe(false)
  expect(isWellFormed('emp_', mintSecret('emi_'))).toBe(false)
  expect(isWellFormed('emp_', `${mintSecret('emp_')}\n`)).toBe(false)
  expect(isWellFormed('emp_', '')).toBe(false)
})

it('C8: only the SHA-256 is stored', () => {
  const secret = mintSecret('emp_')
  expect(Buffer.from(hashSecret(secret)).toString('hex')).toBe(createHash('sha256').update(secret).digest('hex'))
})

it('finds each kind of secret in text', () => {
  const all = SECRET_PREFIXES.map(mintSecret)
  expect(all.join(' and ').replace(ANY_SECRET, '*')).toBe('* and * and * and * and *')
})
