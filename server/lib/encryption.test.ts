import { expect, it } from 'vitest'
import { createEncryption } from './encryption.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const TEXT = 'Grüße, with a link'
const encryption = createEncryption(SECRET, 'mail')

it('text decrypts only with the same secret, purpose and context', () => {
  const encrypted = encryption.encrypt(TEXT, 'email 1')
  expect(createEncryption(SECRET, 'mail').decrypt(encrypted, 'email 1')).toBe(TEXT)
  expect(() => createEncryption(`${SECRET}.`, 'mail').decrypt(encrypted, 'email 1')).toThrow()
  expect(() => createEncryption(SECRET, 'seeds').decrypt(encrypted, 'email 1')).toThrow()
  expect(() => encryption.decrypt(encrypted, 'email 2')).toThrow()
})

it('reveals nothing of the text, and differs each time', () => {
  const [one, two] = [encryption.encrypt(TEXT, 'x'), encryption.encrypt(TEXT, 'x')]
  expect(one).not.toBe(two)
  expect(one).toMatch(/^[\w-]+$/)
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('link')
})

it('a changed text does not decrypt', () => {
  const encrypted = Buffer.from(encryption.encrypt(TEXT, 'x'), 'base64url')
  for (let i = 0; i < encrypted.length; i++) {
    const changed = Buffer.from(encrypted)
    changed[i] = (changed[i] ?? 0) ^ 1
    expect(() => encryption.decrypt(changed.toString('base64url'), 'x'), `byte ${i}`).toThrow()
  }
  for (const broken of ['', 'x', encrypted.subarray(0, 20).toString('base64url')]) {
    expect(() => encryption.decrypt(broken, 'x'), broken).toThrow()
  }
})
