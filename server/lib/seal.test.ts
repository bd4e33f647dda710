import { expect, it } from 'vitest'
import { createSeal } from './seal.ts'

const SECRET = 'a secret of the tests, long enough to be one'
const TEXT = 'Grüße, with a link'
const seal = createSeal(SECRET, 'mail')

it('what is sealed opens with the same secret, for the same purpose, about the same thing', () => {
  const sealed = seal.close(TEXT, 'letter 1')
  expect(createSeal(SECRET, 'mail').open(sealed, 'letter 1')).toBe(TEXT)
  expect(() => createSeal(`${SECRET}.`, 'mail').open(sealed, 'letter 1')).toThrow()
  expect(() => createSeal(SECRET, 'seeds').open(sealed, 'letter 1')).toThrow()
  expect(() => seal.open(sealed, 'letter 2')).toThrow()
})

it('shows nothing of what is in it, and is another one each time', () => {
  const [one, two] = [seal.close(TEXT, 'x'), seal.close(TEXT, 'x')]
  expect(one).not.toBe(two)
  expect(one).toMatch(/^[\w-]+$/)
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('link')
})

it('whatever was changed in it does not open', () => {
  const sealed = Buffer.from(seal.close(TEXT, 'x'), 'base64url')
  for (let i = 0; i < sealed.length; i++) {
    const changed = Buffer.from(sealed)
    changed[i] = (changed[i] ?? 0) ^ 1
    expect(() => seal.open(changed.toString('base64url'), 'x'), `byte ${i}`).toThrow()
  }
  for (const broken of ['', 'x', sealed.subarray(0, 20).toString('base64url')]) {
    expect(() => seal.open(broken, 'x'), broken).toThrow()
  }
})
