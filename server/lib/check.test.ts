import { expect, it } from 'vitest'
import { fc } from '../../test/support/fast-check.ts'
import { mintSecret } from '../secrets/secret.ts'
import { AppError } from './app-error.ts'
import { checkAnyText, checkCanonicalEmail, checkEmail, checkName, checkSearch, checkText, sortKey } from './check.ts'

const refused = (work: () => unknown) => {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof AppError ? error.details.field : 'not a failure'
  }
}

it('a text to store is stored as given or refused: never trimmed, and never normalized', () => {
  for (const text of [' ci', 'ci ', '\tci', 'ci\n', '\u00a0ci', 'ci\u3000', ' ci ']) {
    expect(() => checkText('label', text)).toThrow('label: no blanks or line breaks at the beginning or the end.')
  }
  for (const text of ['cafe\u0301', '\u212b', '\u2126', '\u0958', 'a\u0323\u0301'.normalize('NFD')]) {
    if (text !== text.normalize('NFC')) {
      expect(() => checkText('label', text)).toThrow('label: send it in Unicode normalization form C (NFC).')
    }
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5 }), (text) => {
      if (refused(() => checkText('label', text)) === undefined) expect(checkText('label', text)).toBe(text)
    }),
  )
})

it('accepts text of 1 to 80 user-perceived characters', () => {
  expect(checkText('label', '\u{1f600}'.repeat(80))).toHaveLength(160)
  for (const text of ['', '   ', 'x'.repeat(81), 'a\0b', 'a\u001bb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\ud800b']) {
    expect(
      refused(() => checkText('label', text)),
      JSON.stringify(text),
    ).toBe('label')
  }
})

it('refuses a text that contains one of our secrets, without repeating it', () => {
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

const INVISIBLE = [
  0xad, 0x61c, 0x180e, 0x200b, 0x200e, 0x200f, 0x2060, 0x2064, 0xfeff, 0xfff9, 0x1d173, 0xe0000, 0xe0001, 0xe0041,
  0xe007f,
].map((code) => String.fromCodePoint(code))

it('refuses format characters, alone or within a text, except joiners of letters and emoji', () => {
  for (const character of INVISIBLE) {
    const code = character.codePointAt(0)?.toString(16)
    expect(() => checkText('label', character), code).toThrow(/^label: /)
    expect(() => checkText('label', `c${character}i`), code).toThrow('label: no invisible characters.')
    expect(() => checkText('place', `c${character}i`, { max: 200 }), code).toThrow('place: no invisible characters.')
  }
  for (const text of ['👩\u200d🔧', 'می\u200cخواهم', 'ⵣ', '🏳\ufe0f']) expect(checkText('label', text)).toBe(text)
})

it('at most 30 combining marks in a row are accepted, also in a search', () => {
  const marks = ['\u0323'.repeat(30), '\u{1d165}'.repeat(30), 'ﾞ'.repeat(30)] // sorted by their classes, as NFC wants them
  for (const run of marks) {
    expect(checkText('label', `x${run}x${run}`)).toBe(`x${run}x${run}`)
    const more = `x${run}${[...run][0]}`
    for (const check of [checkText, checkAnyText]) {
      expect(() => check('label', more)).toThrow('label: at most 30 combining marks in a row.')
    }
  }
})

it('refuses text without anything visible', () => {
  for (const text of [
    '\u3164',
    '\u115f\u1160',
    '\uffa0',
    '\u2800',
    '\u200d\u200c',
    '\ufe0f',
    '\u034f',
    '\u3164 \u3164',
  ]) {
    expect(() => checkText('label', text)).toThrow('label: at least one visible character.')
    expect(() => checkText('place', text, { max: 200 })).toThrow('place: at least one visible character.')
  }
})

it('refuses lone surrogates', () => {
  for (const text of ['a\ud800b', '\udc00']) expect(() => checkText('label', text)).toThrow('label: not valid text.')
})

it('a search accepts texts that older versions may have stored', () => {
  for (const text of [...INVISIBLE, 'c\u200bi', '\u3164', '']) expect(checkAnyText('search', text)).toBe(text.trim())
  expect(() => checkAnyText('search', 'a\u001b')).toThrow('search: no control characters.')
  expect(() => checkAnyText('search', 'x'.repeat(81))).toThrow('search: at most 80 characters.')
})

it('messages never repeat the input', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 81, maxLength: 90 }), (text) => {
      fc.pre(text.trim().length > 80)
      expect(() => checkText('label', text)).toThrow('label: 1 to 80 characters.')
    }),
  )
})

it('an email address that a person types is normalized, and one that a program sends is as it is stored, or refused', () => {
  expect(checkEmail('email', ' Ada@Example.COM ')).toBe('ada@example.com')
  expect(checkCanonicalEmail('email', 'ada@example.com')).toBe('ada@example.com')
  for (const text of ['Ada@example.com', ' ada@example.com', 'zoe\u0308@example.com', 'ada']) {
    expect(refused(() => checkCanonicalEmail('email', text))).toBe('email')
  }
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

it('sorts and searches without case and compatibility variants', () => {
  expect(sortKey('Edge-1')).toBe(sortKey('EDGE-1'))
  expect(sortKey('ＥＤＧＥ')).toBe('edge')
  expect(sortKey('ΟΔΟΣΑ').startsWith(sortKey('ΟΔΟΣ'))).toBe(true)
})

it('a name or search has a form for sorting of no more bytes than the longest name', () => {
  const kept = ['漢'.repeat(80), '\u{1f600}'.repeat(80), `${'ﷺ'.repeat(9)}${'x'.repeat(23)}`, '½ ℃ … ﬁ ㎡ Ⅷ ①']
  for (const name of kept) expect([checkName('name', name), checkSearch('search', name)]).toEqual([name, sortKey(name)])
  for (const name of ['ﷺ'.repeat(70), `${'ﷺ'.repeat(9)}${'x'.repeat(24)}`, '🉀'.repeat(80), '㍿'.repeat(80)]) {
    for (const check of [checkName, checkSearch])
      expect(
        refused(() => check('name', name)),
        name,
      ).toBe('name')
  }
  expect(() => checkSearch('search', 'ﷺ'.repeat(70))).toThrow(
    'search: at most 320 bytes with compatibility characters, such as U+FDFA, written out.',
  )
})
