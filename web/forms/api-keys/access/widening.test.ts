import { describe, expect, it } from 'vitest'
import type { KeyAccess, KeyRestrictions } from '../../../api/key-restrictions.ts'
import type { ChosenRestrictions } from './restriction-values.ts'
import { changesOf, widening } from './widening.ts'

const ACCESSES: KeyAccess[] = ['ADMIN', 'READ_ONLY', 'DEVICES', 'CHECK_IN']
const SOON = '2126-01-31T10:00:00.000Z'
const LATER = '2127-01-31T10:00:00.000Z'

const was = (changes: Partial<KeyRestrictions> = {}): KeyRestrictions => ({
  access: 'ADMIN',
  deviceId: null,
  device: null,
  allowedNetworks: [],
  notBefore: null,
  requestsPerSecond: null,
  requestsPerDay: null,
  ...changes,
})

const chosen = (changes: Partial<ChosenRestrictions> = {}): ChosenRestrictions => ({
  access: 'ADMIN',
  deviceName: null,
  allowedNetworks: [],
  notBefore: null,
  requestsPerSecond: null,
  requestsPerDay: null,
  ...changes,
})

describe('C10: a change of a key widens it', () => {
  it('by its access, unless the one before included the new one', () => {
    const narrower = {
      ADMIN: ACCESSES,
      READ_ONLY: ['READ_ONLY'],
      DEVICES: ['DEVICES', 'CHECK_IN'],
      CHECK_IN: ['CHECK_IN'],
    }
    for (const from of ACCESSES) {
      for (const to of ACCESSES) {
        const isWider = widening(was({ access: from }), chosen({ access: to })).length > 0
        expect(isWider, `${from} to ${to}`).toBe(!narrower[from].includes(to))
      }
    }
  })

  it('by another device, or any, in place of the one that it was bound to', () => {
    const bound = was({ access: 'CHECK_IN', deviceId: 'a', device: { name: 'press-1' } })
    const to = (deviceName: string | null) => widening(bound, chosen({ access: 'CHECK_IN', deviceName }))
    expect(to('press-1')).toEqual([])
    expect(to('press-2')).toEqual(['another device'])
    expect(to(null)).toEqual(['another device'])
    expect(widening(was({ access: 'CHECK_IN' }), chosen({ access: 'CHECK_IN', deviceName: 'press-1' }))).toEqual([])
  })

  it('by networks, limits and a first moment that allow more, and not by those that allow less', () => {
    const networks = (from: string[], to: string[]) =>
      widening(was({ allowedNetworks: from }), chosen({ allowedNetworks: to })).length > 0
    expect([networks([], ['10.0.0.0/8']), networks(['a', 'b'], ['a'])]).toEqual([false, false])
    expect([networks(['a'], []), networks(['a'], ['a', 'b'])]).toEqual([true, true])
    const limit = (from: number | null, to: number | null) =>
      widening(was({ requestsPerDay: from }), chosen({ requestsPerDay: to })).length > 0
    expect([limit(null, 5), limit(5, 4), limit(5, 5)]).toEqual([false, false, false])
    expect([limit(5, 6), limit(5, null)]).toEqual([true, true])
    const moment = (from: string | null, to: string | null) =>
      widening(was({ notBefore: from }), chosen({ notBefore: to })).length > 0
    expect([moment(null, SOON), moment(SOON, LATER), moment('2020-01-01T00:00:00.000Z', null)]).toEqual([
      false,
      false,
      false,
    ])
    expect([moment(LATER, SOON), moment(SOON, null)]).toEqual([true, true])
  })
})

describe('what is sent of a changed key', () => {
  it('is only what differs: a moment by its minute, a device only if it is another', () => {
    const stored = was({
      access: 'CHECK_IN',
      deviceId: 'a',
      device: { name: 'press-1' },
      notBefore: '2126-01-31T10:00:33.123Z',
    })
    const same = chosen({ access: 'CHECK_IN', deviceName: 'press-1', notBefore: SOON })
    expect(changesOf(stored, same, undefined)).toEqual({})
    expect(changesOf(stored, { ...same, notBefore: null, requestsPerDay: 7 }, 'b')).toEqual({
      deviceId: 'b',
      notBefore: null,
      requestsPerDay: 7,
    })
    expect(changesOf(stored, { ...same, access: 'ADMIN' }, null)).toEqual({ access: 'ADMIN' })
  })
})
