import { describe, expect, it } from 'vitest'
import { LOOPBACK } from '../../../test/support/world/called-from.ts'
import type { Caller } from '../../caller/ctx.ts'
import { keyRules, type StoredRules, writeRules } from '../../caller/key-rules.ts'
import { includesRights, rightsOf } from './rights.ts'

const NAMES = { organizationId: 'acme', label: 'ci', name: 'Ada', email: 'ada@example.com' }

const key = (rules: StoredRules = {}): Caller => ({
  ...{ kind: 'API_KEY', keyId: 'key', role: 'ADMIN', ...NAMES },
  rules: keyRules(writeRules(rules)),
  calledFrom: LOOPBACK,
})

const person = (rights: { role?: 'ADMIN' | 'MEMBER'; support?: boolean }): Caller => ({
  ...{ kind: 'USER', userId: 'ada', sessionId: 'session', role: 'MEMBER', support: false, ...NAMES },
  ...rights,
})

/** Whether an answer that was recorded for the one is shown to the other. */
const sees = (now: Caller, then: Caller) => includesRights(rightsOf(now), rightsOf(then))

describe('a recorded answer is shown to nobody who is allowed less than whoever it was for', () => {
  it.each<[what: string, less: Caller, more: Caller]>([
    ['the role', person({ role: 'MEMBER' }), person({ role: 'ADMIN' })],
    ['support', person({ support: false }), person({ support: true })],
    ['managing keys', key({ noKeys: true }), key()],
    ['the access', key({ access: 'READ_ONLY' }), key()],
    ['the bound device', key({ access: 'CHECK_IN', deviceId: 'one' }), key({ access: 'CHECK_IN' })],
    ['networks of the policy', key({ networks: ['10.1.0.0/16'] }), key({ networks: ['10.0.0.0/8'] })],
    ['own networks', key({ ownNetworks: ['10.1.0.0/16'] }), key()],
    ['browsers', key({ noBrowser: true }), key()],
    ['requests a second', key({ requestsPerSecond: 1 }), key({ requestsPerSecond: 2 })],
    ['requests a day', key({ requestsPerDay: 1 }), key()],
  ])('%s', (_what, less, more) => {
    expect({ less: sees(less, more), more: sees(more, less), same: sees(less, less) }).toEqual({
      less: false,
      more: true,
      same: true,
    })
  })

  it.each<[what: string, one: Caller, other: Caller]>([
    ['another access', key({ access: 'READ_ONLY' }), key({ access: 'DEVICES' })],
    ['another device', key({ access: 'CHECK_IN', deviceId: 'one' }), key({ access: 'CHECK_IN', deviceId: 'other' })],
    ['another network', key({ ownNetworks: ['10.0.0.0/8'] }), key({ ownNetworks: ['192.0.2.0/24'] })],
  ])('%s, neither way', (_what, one, other) => {
    expect([sees(one, other), sees(other, one)]).toEqual([false, false])
  })
})
