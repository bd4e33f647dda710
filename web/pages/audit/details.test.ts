import { describe, expect, it } from 'vitest'
import { detailsOf } from './details.ts'

const [A, B] = ['01k9x0000000000000000000aa', '01k9x0000000000000000000bb']

const shown = (action: string, details: string | null) =>
  detailsOf({ action, details, id: '', at: '', subject: '', actor: { kind: 'USER', id: null, name: '' } })

describe('the details of an event, on the audit page', () => {
  it.each([
    ['api_key.generated', `key ${A}`, null],
    ['api_key.renamed', `was ci; key ${A}`, 'was ci'],
    ['device.updated', `changed name; device ${A}`, 'changed name'],
    ['user.role_changed', 'MEMBER to ADMIN', 'Member to Admin'],
    ['api_key.revoked', null, null],
    ['api_key.rotated', `key ${A} replaces key ${B}; overlap 0 s`, 'the old secret is refused at once'],
    ['api_key.rotated', `key ${A} replaces key ${B}; overlap 86400 s`, 'the old secret works for 24 hours'],
    ['api_key.rotated', `key ${A} replaces key ${B}; overlap 90 s`, 'the old secret works for 90 seconds'],
    [
      'api_key.expiry_notified',
      `ends at 2026-11-20T12:00:00.000Z; key ${A}`,
      expect.stringMatching(/^expires at Nov 20, 2026, \d/),
    ],
    ['api_key.revoked', `key ${A}; 2 open invitations ended`, '2 open invitations ended'],
    ['api_keys.revoked', `chosen; keys ${A}, ${B}`, 'chosen'],
    ['api_keys.revoked', `unused for 90 days, made by ${A}; keys ${B}`, 'unused for 90 days, created by one person'],
    ['api_keys.revoked', `unused for 90 days, created by ${A}; keys ${B}`, 'unused for 90 days, created by one person'],
    [
      'api_keys.policy_changed',
      `maxKeys: 5, was any; expiryRequired: yes, was no; MAX_KEYS applied to keys ${A}, ${B}`,
      'maximum number of keys: 5, was any; expiration required: yes, was no; max keys applied to 2 keys',
    ],
  ])('%s: %s', (action, details, words) => {
    expect(shown(action, details)).toEqual(words)
  })

  it('a hundred ids take no more room than two', () => {
    const ids = Array.from({ length: 100 }, () => A).join(', ')
    expect(shown('api_keys.policy_changed', `EXPIRY_REQUIRED applied to keys ${ids}`)).toBe(
      'expiry required applied to 100 keys',
    )
    expect(shown('api_keys.revoked', `all; keys ${ids}`)).toBe('all')
  })
})
