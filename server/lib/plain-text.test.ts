import { expect, it } from 'vitest'
import { mintSecret, SECRET_PREFIXES } from '../secrets/secret.ts'
import { cleaned, escapedJson, hasControls, hasSecret, onOneLine, printable, storable } from './plain-text.ts'

const CONTROL_CHARACTERS = [
  0x00, 0x07, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x9b, 0x9f, 0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069,
]

it.each(CONTROL_CHARACTERS.map((code) => [`U+${code.toString(16).padStart(4, '0')}`, String.fromCharCode(code)]))(
  '%s is detected, removed from output and storage, and escaped in JSON',
  (_name, character) => {
    expect(hasControls(`a${character}b`)).toBe(true)
    expect(printable(`a${character}b\n\tc`)).toBe('ab\n\tc')
    expect(onOneLine(`a${character}b`)).toBe('ab')
    expect(storable(`a${character}b`, 200)).toBe('ab')
    const json = escapedJson(JSON.stringify({ agent: `a${character}b` }))
    expect(hasControls(json)).toBe(false)
    expect(JSON.parse(json)).toEqual({ agent: `a${character}b` })
  },
)

it('does not change ordinary text', () => {
  const words = 'Zoë’s 漢字 עברית 👩‍🔧 – exporter/2.1 (x; y)'
  expect([hasControls(words), printable(words), storable(words, 200), escapedJson(words)]).toEqual([
    false,
    words,
    words,
    words,
  ])
})

it('a line break or a tab in a cell becomes a blank', () => {
  expect(onOneLine('a\n\n\tb\nc')).toBe('a b c')
})

it.each(SECRET_PREFIXES)('redacts a secret that begins with %s, also with a control character inside', (prefix) => {
  const secret = mintSecret(prefix)
  expect(cleaned(`curl ${secret} x`)).toBe('curl [secret] x')
  expect(cleaned(`${secret.slice(0, 20)}\u009b${secret.slice(20)}`)).toBe('[secret]')
  expect(storable(`${'x'.repeat(190)}${secret}`, 200)).toBe(`${'x'.repeat(190)}[secret]`)
  expect(storable(`${'x'.repeat(195)}${secret}`, 200)).toBe(`${'x'.repeat(195)}[secr`)
})

it.each(SECRET_PREFIXES)('of a secret that begins with %s, redacts parts of 20 characters and more too', (prefix) => {
  const secret = mintSecret(prefix)
  for (const length of [52, 48, 47, 30, 24]) {
    const part = secret.slice(0, length)
    const written = [part, part.replace('_', '%5F'), part.replace('_', '%5f')]
    expect(written.map((text) => cleaned(`x?key=${text}&y`))).toEqual(Array(3).fill('x?key=[secret]&y'))
  }
  expect(cleaned(`key ${secret.slice(0, 10)}`)).toBe(`key ${secret.slice(0, 10)}`) // as the portal itself shows it
})

it('redacts the secret of a webhook, also in an address, with a control character inside, or without its end', () => {
  const secret = `whsec_${'aB3+/xYz'.repeat(5)}abc=`
  expect(cleaned(`curl ${secret} x`)).toBe('curl [secret] x')
  expect(cleaned(`x?secret=${encodeURIComponent(secret)}&y`)).toBe('x?secret=[secret]&y')
  expect(cleaned(`${secret.slice(0, 20)}\u009b${secret.slice(20)}`)).toBe('[secret]')
  expect(cleaned(`x ${secret.slice(0, 22)}`)).toBe('x [secret]')
  expect([hasSecret(secret), hasSecret(secret.slice(0, 21))]).toEqual([true, false])
})

it('cuts between characters', () => {
  expect(storable('👩'.repeat(200), 200)).toBe('👩'.repeat(100))
  expect(storable(`x${'👩'.repeat(200)}`, 200).isWellFormed()).toBe(true)
})
