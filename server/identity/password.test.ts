import { describe, expect, it } from 'vitest'
import { checkPassword, hashPassword, verifyPassword } from './password.ts'

describe('a password', () => {
  it('is stored as Argon2id with 19 MiB, t=2, p=1, under a salt of its own', async () => {
    const [one, two] = await Promise.all([
      hashPassword('a long enough passphrase'),
      hashPassword('a long enough passphrase'),
    ])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(two).not.toBe(one)
    expect(await verifyPassword('a long enough passphrase', one)).toBe(true)
    expect(await verifyPassword('a long enough passphrase', two)).toBe(true)
    expect(await verifyPassword('A long enough passphrase', one)).toBe(false)
  })

  it('is judged by the parameters that its hash names (test vector of the reference implementation)', async () => {
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    expect(await verifyPassword('password', stored)).toBe(true)
    expect(await verifyPassword('passwore', stored)).toBe(false)
  })

  it('is never right without a hash, and a hash that is none is a bug', async () => {
    expect(await verifyPassword('', undefined)).toBe(false)
    await expect(verifyPassword('x', 'plain text')).rejects.toThrow('not Argon2id')
  })

  it('is the same from every keyboard, and blanks around it belong to it', async () => {
    const stored = await hashPassword('Ångström ﬁne password')
    expect(await verifyPassword('A\u030angstro\u0308m fine password', stored)).toBe(true)
    expect(await verifyPassword('Ångström fine password ', stored)).toBe(false)
  })

  it('has 12 to 256 characters, counted as people count', () => {
    const fits = ['x7!kPq9#mZ2w', '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧', `${'ab-'.repeat(85)}q`, ' spaces are welcome ']
    for (const text of fits) expect(checkPassword('password', text)).toBe(text)
    for (const text of ['', 'x7!kPq9#mZ2', '🦊🐻🐼🐨🐯🦁', 'ab-'.repeat(86)]) {
      expect(() => checkPassword('newPassword', text)).toThrow('newPassword: 12 to 256 characters.')
    }
  })

  it('is not among the most common, however it is cased', () => {
    const common = [
      'Password1234!',
      'PASSWORDPASSWORD',
      'iloveyou2024',
      'aaaaaaaaaaaa',
      'abcabcabcabc',
      '123412341234',
      '123456789012',
      'abcdefghijkl',
      'Lkjhgfdsapoi',
      'QwertyUiop1234',
      'qwertzuiopasdf',
      '1Qaz2Wsx3Edc',
      'correcthorsebatterystaple',
      'ＰＡＳＳＷＯＲＤ1234',
    ]
    for (const text of common) expect(() => checkPassword('password', text), text).toThrow('password: too common')
  })
})
