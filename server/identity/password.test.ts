import { describe, expect, it } from 'vitest'
import { limitRefusals } from '../config/counts.ts'
import { checkPassword, createPasswords } from './password.ts'

const { hash, verify } = createPasswords({ cost: { memory: 8, passes: 1, parallelism: 1 } })

describe('a password', () => {
  it('is stored as Argon2id with 19 MiB, t=2, p=1, except in tests', async () => {
    const stored = await createPasswords().hash('a long enough passphrase')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await hash('a long enough passphrase')).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/)
    expect(await verify('a long enough passphrase', stored)).toBe(true)
    expect(await verify('A long enough passphrase', stored)).toBe(false)
  })

  it('is stored with its own salt', async () => {
    const [one, two] = await Promise.all([hash('a long enough passphrase'), hash('a long enough passphrase')])
    expect(two).not.toBe(one)
    expect(await verify('a long enough passphrase', one)).toBe(true)
    expect(await verify('a long enough passphrase', two)).toBe(true)
  })

  it('at most four are hashed at once; 20 more of a source wait, and its next is refused', async () => {
    const works: PromiseWithResolvers<Buffer>[] = []
    const busy = createPasswords({
      derive: () => {
        const work = Promise.withResolvers<Buffer>()
        works.push(work)
        return work.promise
      },
    })
    const hashes = Array.from({ length: 24 }, () => busy.hash('a long enough passphrase'))
    expect(works).toHaveLength(4)
    await expect(busy.hash('a long enough passphrase')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    void busy.from('elsewhere').hash('a long enough passphrase')
    works[2]?.resolve(Buffer.alloc(32))
    await hashes[2]
    expect(works).toHaveLength(5)
  })

  it('is verified with the parameters in its hash (test vector of the reference implementation)', async () => {
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    expect(await verify('password', stored)).toBe(true)
    expect(await verify('passwore', stored)).toBe(false)
  })

  it('is never right without a hash, and an invalid hash is a bug', async () => {
    expect(await verify('', undefined)).toBe(false)
    await expect(verify('x', 'plain text')).rejects.toThrow('not Argon2id')
  })

  it('is normalized, and keeps blanks around it', async () => {
    const stored = await hash('Ångström ﬁne password')
    expect(await verify('A\u030angstro\u0308m fine password', stored)).toBe(true)
    expect(await verify('Ångström fine password ', stored)).toBe(false)
  })

  it('has at most 30 combining marks in a row, and more cost little where somebody signs in with them', async () => {
    const allowed = `long enough a${'\u0301'.repeat(30)}`
    expect(checkPassword('password', allowed)).toBe(allowed)
    expect(() => checkPassword('password', `${allowed}\u0301`)).toThrow(
      'password: at most 30 combining marks in a row.',
    )
    const stored = await hash(allowed)
    const hostile = `a${'\u0301\u0323'.repeat(2_000)}` // 8 KB
    const before = process.threadCpuUsage()
    for (let i = 0; i < 20; i++) expect(await verify(hostile, stored)).toBe(false)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(100)
  })

  it('has 12 to 256 user-perceived characters', () => {
    const fits = ['x7!kPq9#mZ2w', '🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵🐔🐧', `${'ab-'.repeat(85)}q`, ' spaces are welcome ']
    for (const text of fits) expect(checkPassword('password', text)).toBe(text)
    for (const text of ['', 'x7!kPq9#mZ2', '🦊🐻🐼🐨🐯🦁', 'ab-'.repeat(86)]) {
      expect(() => checkPassword('newPassword', text)).toThrow('newPassword: 12 to 256 characters.')
    }
  })

  it('is not a common one, in upper or lower case', () => {
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

describe('passwords that wait to be hashed', () => {
  function busy() {
    const free = Promise.withResolvers<Buffer>()
    const { from } = createPasswords({ atOnce: 1, derive: () => free.promise })
    const refusals = (limit: string) => limitRefusals.entries.get(limit) ?? 0
    const before = { passwords: refusals('passwords'), passwords_of_source: refusals('passwords_of_source') }
    return {
      hash: (source: string) => from(source).hash('any password'),
      counted: (limit: keyof typeof before) => refusals(limit) - before[limit],
      free: () => free.resolve(Buffer.alloc(32)),
    }
  }

  it('are at most 20 for one source: the next is RATE_LIMITED, and other sources are not', async () => {
    const { hash, counted, free } = busy()
    const waiting = Array.from({ length: 21 }, () => hash('here'))
    await expect(hash('here')).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 1 } })
    expect(counted('passwords_of_source')).toBe(1)
    const other = hash('elsewhere')
    free()
    expect(await Promise.all([...waiting, other])).toHaveLength(22)
  })

  it('are at most 2,000: a source with none gets room from one with many', async () => {
    const { hash, counted, free } = busy()
    const begun = hash('begun')
    const waiting = Array.from({ length: 2000 }, (_, i) => hash(`source-${i % 100}`))
    const outcomes = Promise.allSettled(waiting)
    const other = hash('elsewhere')
    free()
    await Promise.all([begun, other])
    const refused = (await outcomes).filter(({ status }) => status === 'rejected')
    expect(refused).toMatchObject([{ reason: { code: 'UNAVAILABLE', details: { retryAfterSeconds: 1 } } }])
    expect(counted('passwords')).toBe(1)
  })
})
