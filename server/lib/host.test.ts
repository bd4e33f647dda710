import { expect, it } from 'vitest'
import { parseCorsOrigins } from '../config/cors-origins.ts'
import { readConfig } from '../config.ts'
import { isOfThisMachine, withoutRootDot } from './host.ts'

it.each([
  ['portal.example.com.', 'portal.example.com'],
  ['portal.example.com.:8443', 'portal.example.com:8443'],
  ['https://portal.example.com.', 'https://portal.example.com'],
  ['[::1]:4000', '[::1]:4000'],
  ['localhost', 'localhost'],
  ['a.b...:80', 'a.b:80'],
  ['a..b', 'a..b'],
])('%s without the dot of the root is %s', (given, plain) => {
  expect(withoutRootDot(given)).toBe(plain)
})

it('a header full of dots takes no time', () => {
  const before = process.threadCpuUsage()
  for (const end of ['b', ':b', ':80']) withoutRootDot(`http://a${'.'.repeat(15_500)}${end}`)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(100)
})

it('BASE_URL and CORS_ORIGINS are without the dot of the root', () => {
  expect(readConfig({ BASE_URL: 'https://portal.example.com./' }).baseUrl?.origin).toBe('https://portal.example.com')
  expect(readConfig({ BASE_URL: 'http://portal.example.com.:8080' }).baseUrl?.host).toBe('portal.example.com:8080')
  expect(parseCorsOrigins('https://app.example.com.')).toEqual(new Set(['https://app.example.com']))
})

it.each([
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '127.0.0.1',
  '127.9.9.9',
  '[::1]',
  '[::ffff:7f00:1]',
  'ip6-localhost',
])('%s is this machine', (name) => {
  expect(isOfThisMachine(name)).toBe(true)
})

it.each(['localhost.example.com', 'notlocalhost', '127.0.0.1.example.com', '10.0.0.1', 'x.localdomain', ''])(
  '%j is not',
  (name) => {
    expect(isOfThisMachine(name)).toBe(false)
  },
)
