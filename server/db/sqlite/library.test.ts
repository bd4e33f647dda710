import { describe, expect, it } from 'vitest'
import { isSafeSqlite } from '../../../bin/sqlite-version.js'
import { requireSafeSqlite } from './library.ts'

describe('SQLite is free of the WAL-reset bug', () => {
  it.each(['3.50.7', '3.50.8', '3.50.12', '3.51.3', '3.51.10', '3.52', '3.52.0', '3.53.4', '3.100.0', '4.0.0'])(
    'in %s',
    (version) => {
      expect(isSafeSqlite(version)).toBe(true)
    },
  )
})

describe('SQLite counts as unsafe', () => {
  it.each(['3.6.23', '3.7.0', '3.44.2', '3.49.7', '3.50', '3.50.6', '3.51', '3.51.0', '3.51.2', '2.8.17'])(
    'in %s',
    (version) => {
      expect(isSafeSqlite(version)).toBe(false)
    },
  )

  it.each([undefined, '', '3', 'three', '3.x.7', 'v3.53.4', '3.53.4-beta', ' 3.53.4', '-3.53.4', '3.53.4.'])(
    'when its version is %o',
    (version) => {
      expect(isSafeSqlite(version)).toBe(false)
    },
  )
})

it('this runtime has a safe version', () => {
  expect(() => requireSafeSqlite()).not.toThrow()
})

it('both the version it was built with and the one it runs with must be safe', () => {
  const refusal =
    /^This Node\.js \(v[\d.]+\) comes with SQLite 3\.51\.2, which can lose a committed write .*nodejs\.org/
  expect(() => requireSafeSqlite(['3.51.2', '3.53.4'])).toThrow(refusal)
  expect(() => requireSafeSqlite(['3.53.4', '3.51.2'])).toThrow(refusal)
  expect(() => requireSafeSqlite([undefined, '3.53.4'])).toThrow('SQLite of an unknown version')
})
