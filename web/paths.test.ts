import { describe, expect, it } from 'vitest'
import { safeNext } from './paths.ts'

describe('where a sign-in leads', () => {
  it.each(['/acme/users', '/acme/devices?search=a%20b#top', '/acme/users/api-keys'])('on to %s', (next) => {
    expect(safeNext(next)).toBe(next)
  })

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    'acme/users',
    '',
    undefined,
    ['/acme'],
  ])('never to another site: %j', (next) => {
    expect(safeNext(next)).toBe('/')
  })
})
