import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { checkEmail, checkText, sortKey } from './check.ts'
import { Failure } from './failure.ts'
import { mintSecret } from './secret.ts'

const refused = (work: () => unknown) => {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.details.field : 'not a failure'
  }
}

it('takes text of 1 to 80 characters, as people count them, and trims it', () => {
  expect(checkText('label', '  ci  ')).toBe('ci')
  expect(checkText('label', '\u{1f600}'.repeat(80))).toHaveLength(160)
  for (const text of ['', '   ', 'x'.repeat(81), 'a\0b', 'a\u001bb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\ud800b']) {
    expect(
      refused(() => checkText('label', text)),
      JSON.stringify(text),
    ).toBe('label')
  }
})

it('refuses a text in which one of our secrets stands, without repeating it', () => {
  const secret = mintSecret('emp_')
  for (const text of [
    secret,
    `ci ${secret}`,
    `x${mintSecret('emi_')}`,
    secret.slice(0, 47),
    `x-${secret.slice(0, 24)}`,
  ]) {
    expect(() => checkText('label', text)).toThrow(/^label: this looks like a secret\. .*out of names and labels\.$/)
  }
  expect(checkText('label', secret.slice(0, 10))).toBe(secret.slice(0, 10))
  const sensor = 'temp_0123456789abcdef0123456789abcdef'
  expect(checkText('name', sensor)).toBe(sensor)
})

it('never repeats in its words what was sent', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 81, maxLength: 90 }), (text) => {
      fc.pre(text.trim().length > 80)
      expect(() => checkText('label', text)).toThrow('label: 1 to 80 characters.')
    }),
  )
})

it('knows an e-mail address, in one form', () => {
  expect(checkEmail('email', ' Ada@Example.COM ')).toBe('ada@example.com')
  for (const text of [
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'a b@example.com',
    'ada@ex ample.com',
    'a@b@c.de',
    'ada@.',
    `${'x'.repeat(250)}@e.de`,
  ]) {
    expect(
      refused(() => checkEmail('email', text)),
      text,
    ).toBe('email')
  }
})

it('sorts and searches without regard to case and compatible spellings', () => {
  expect(sortKey('Edge-1')).toBe(sortKey('EDGE-1'))
  expect(sortKey('ＥＤＧＥ')).toBe('edge')
  expect(sortKey('ΟΔΟΣΑ').startsWith(sortKey('ΟΔΟΣ'))).toBe(true)
})
