import { describe, expect, it } from 'vitest'
import type { ListedKey } from '../../api/api-keys.ts'
import { arrange, choicesOf } from './arrange.ts'
import { keySearch } from './key-search.ts'

const DAY = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

const key = (label: string, changes: Partial<ListedKey> = {}): ListedKey => ({
  id: label,
  label,
  prefix: `emp_${label}`,
  createdAt: inDays(-1),
  createdBy: { kind: 'USER', id: 'u', name: 'Ada' },
  lastUsedAt: null,
  lastUsedIp: null,
  lastUsedUserAgent: null,
  lastUsedOperation: null,
  expiresAt: null,
  expired: false,
  replacedBy: null,
  access: 'ADMIN',
  deviceId: null,
  device: null,
  notBefore: null,
  paused: false,
  pausedUntil: null,
  allowedNetworks: [],
  requestsPerSecond: null,
  requestsPerDay: null,
  ...changes,
})

const KEYS = [
  key('new', { createdAt: inDays(0) }),
  key('paused', { paused: true }),
  key('expiring', { expiresAt: inDays(20), createdAt: inDays(-80), lastUsedAt: inDays(-89) }),
  key('far', { expiresAt: inDays(40), lastUsedAt: inDays(-1) }),
  key('expired', { expiresAt: inDays(-1), expired: true, paused: true, createdAt: inDays(-200) }),
  key('unused', { createdAt: inDays(-100) }),
  key('idle', {
    createdAt: inDays(-300),
    lastUsedAt: inDays(-95),
    lastUsedIp: '192.0.2.14',
    lastUsedUserAgent: 'edge-agent/2.1',
    lastUsedOperation: 'checkInDevice',
  }),
]

const labels = (keys: ListedKey[]) => keys.map(({ label }) => label)

describe('the list of keys', () => {
  it.each([
    ['active', ['new', 'paused', 'expiring', 'far', 'unused', 'idle']],
    ['paused', ['paused']],
    ['expiring', ['expiring']],
    ['expired', ['expired']],
    ['unused', ['unused', 'idle']],
  ] as const)('is filtered: %s', (state, expected) => {
    expect(labels(arrange(KEYS, { state })).sort()).toEqual([...expected].sort())
  })

  it('is searched by label, prefix, creator, and address, user agent and operation of the last call, in any case', () => {
    expect(labels(arrange(KEYS, { q: ' FAR ' }))).toEqual(['far'])
    expect(labels(arrange(KEYS, { q: '192.0.2' }))).toEqual(['idle'])
    expect(labels(arrange(KEYS, { q: 'EDGE-agent' }))).toEqual(['idle'])
    expect(labels(arrange(KEYS, { q: 'checkin' }))).toEqual(['idle'])
    expect(arrange(KEYS, { q: 'ada' })).toHaveLength(KEYS.length)
  })

  it('is in the order asked for; a replaced key stays below the one in its place', () => {
    expect(labels(arrange(KEYS, {}))[0]).toBe('new')
    expect(labels(arrange(KEYS, { sort: 'expires' })).slice(0, 3)).toEqual(['expired', 'expiring', 'far'])
    expect(labels(arrange(KEYS, { sort: '-used' })).slice(0, 3)).toEqual(['far', 'expiring', 'idle'])
    expect(labels(arrange(KEYS, { sort: 'used' })).slice(-3)).toEqual(['idle', 'expiring', 'far'])
    const rotated = [key('z old', { id: 'old', replacedBy: { id: 'new one' } }), key('b'), key('a', { id: 'new one' })]
    expect(labels(arrange(rotated, { sort: 'label' }))).toEqual(['a', 'z old', 'b'])
  })

  it('an address that makes no sense asks for nothing', () => {
    const nothing = {
      only: undefined,
      q: undefined,
      sort: undefined,
      state: undefined,
      view: undefined,
      page: undefined,
    }
    expect(keySearch({ only: '<', q: {}, sort: 'toString', state: 'x', view: 'all', page: -1 })).toEqual(nothing)
    expect(keySearch({ q: 42, sort: 'used', state: 'paused', view: 'revoked', page: 3 })).toEqual({
      ...nothing,
      ...{ q: '42', sort: 'used', state: 'paused', view: 'revoked', page: 3 },
    })
  })
})

it('a choice selects the keys that nobody has used for so many days, or those of one creator, and no others', () => {
  const ci = { kind: 'API_KEY', id: 'k', name: 'ci' } as const
  const keys = [
    key('used', { createdAt: inDays(-300), lastUsedAt: inDays(-29) }),
    key('idle', { createdAt: inDays(-300), lastUsedAt: inDays(-31), createdBy: ci }),
    key('never used', { createdAt: inDays(-91) }),
  ]
  const chosen = choicesOf(keys).map(({ label, keys }) => [label, keys.map(({ id }) => id)])
  expect(chosen).toEqual([
    ['All', ['used', 'idle', 'never used']],
    ['Unused for 30 days', ['idle', 'never used']],
    ['Unused for 90 days', ['never used']],
    ['Unused for 180 days', []],
    ['Created by Ada', ['used', 'never used']],
    ['Created by key ci', ['idle']],
  ])
})
