import { describe, expect, it } from 'vitest'
import type { AuditAction } from '../../api/audit.ts'
import { detailsOf } from './details.ts'

const [A, B] = ['01k9x0000000000000000000aa', '01k9x0000000000000000000bb']

const shown = (action: AuditAction, details: string | null) => detailsOf({ action, details })

describe('the details of an event, on the audit page', () => {
  it.each<[AuditAction, string | null, unknown]>([
    ['API_KEY_GENERATED', `key ${A}`, null],
    ['API_KEY_GENERATED', `access READ_ONLY; key ${A}`, 'access: Read only'],
    ['API_KEY_RENAMED', `was ci; key ${A}`, 'was ci'],
    ['DEVICE_UPDATED', `changed name; device ${A}`, 'changed name'],
    ['USER_ROLE_CHANGED', 'MEMBER to ADMIN', 'Member to Admin'],
    ['API_KEY_REVOKED', null, null],
    ['API_KEY_ROTATED', `key ${A} replaces key ${B}; overlap 0 s`, 'the old secret is refused at once'],
    ['API_KEY_ROTATED', `key ${A} replaces key ${B}; overlap 86400 s`, 'the old secret works for 24 hours'],
    ['API_KEY_ROTATED', `key ${A} replaces key ${B}; overlap 90 s`, 'the old secret works for 90 seconds'],
    [
      'API_KEY_EXPIRY_NOTIFIED',
      `ends at 2026-11-20T12:00:00.000Z; key ${A}`,
      expect.stringMatching(/^expires at Nov 20, 2026, \d/),
    ],
    ['API_KEY_REVOKED', `key ${A}; 2 open invitations ended`, '2 open invitations ended'],
    ['API_KEYS_REVOKED', `chosen; keys ${A}, ${B}`, 'chosen'],
    ['API_KEYS_REVOKED', `unused for 90 days, made by ${A}; keys ${B}`, 'unused for 90 days, created by one person'],
    ['API_KEYS_REVOKED', `unused for 90 days, created by ${A}; keys ${B}`, 'unused for 90 days, created by one person'],
    [
      'API_KEYS_POLICY_CHANGED',
      `maxKeys: 5, was any; expiryRequired: yes, was no; MAX_KEYS applied to keys ${A}, ${B}`,
      'maximum number of keys: 5, was any; expiration required: yes, was no; max keys applied to 2 keys',
    ],
  ])('%s: %s', (action, details, words) => {
    expect(shown(action, details)).toEqual(words)
  })

  it('a hundred ids take no more room than two', () => {
    const ids = Array.from({ length: 100 }, () => A).join(', ')
    expect(shown('API_KEYS_POLICY_CHANGED', `EXPIRY_REQUIRED applied to keys ${ids}`)).toBe(
      'expiry required applied to 100 keys',
    )
    expect(shown('API_KEYS_REVOKED', `all; keys ${ids}`)).toBe('all')
  })
})
