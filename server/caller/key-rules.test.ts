import { describe, expect, it } from 'vitest'
import { keyRules, rulesOnceLabelled, writeRules } from './key-rules.ts'

describe('the rules of a key', () => {
  it('share one object for all keys with equal rules', () => {
    const text = writeRules({ networks: ['10.0.0.0/8'], noBrowser: true })
    expect(keyRules(null)).toBe(keyRules(null))
    expect(keyRules(text)).toBe(keyRules(`${text}`))
    expect(keyRules(text)).not.toBe(keyRules(writeRules({ networks: ['10.0.0.0/9'], noBrowser: true })))
  })

  it('are null when empty, and equal text in any order', () => {
    expect(writeRules({})).toBeNull()
    expect(writeRules({ networks: [], noBrowser: false, noKeys: false, unlabelled: false })).toBeNull()
    expect(writeRules({ unlabelled: true, noKeys: true })).toBe(writeRules({ noKeys: true, unlabelled: true }))
  })

  it('K6, K7: are empty by default', () => {
    expect(keyRules(null)).toEqual({
      networks: undefined,
      refusesBrowsers: false,
      managesKeys: true,
      access: 'ADMIN',
      deviceId: undefined,
      ownNetworks: undefined,
      notBefore: undefined,
      requestsPerSecond: undefined,
      requestsPerDay: undefined,
      needsLabel: false,
    })
  })

  it('are the same except for the label rule once the key has a label', () => {
    expect(rulesOnceLabelled(writeRules({ noKeys: true, unlabelled: true }))).toBe(writeRules({ noKeys: true }))
    expect(rulesOnceLabelled(writeRules({ unlabelled: true }))).toBeNull()
    expect(rulesOnceLabelled(null)).toBeNull()
  })
})
