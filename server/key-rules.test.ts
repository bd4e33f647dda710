import { describe, expect, it } from 'vitest'
import { keyRules, rulesOnceLabelled, writeRules } from './key-rules.ts'

describe('the rules of a key', () => {
  it('are one and the same object for all keys without any, and for all with the same', () => {
    const text = writeRules({ networks: ['10.0.0.0/8'], noBrowser: true })
    expect(keyRules(null)).toBe(keyRules(null))
    expect(keyRules(text)).toBe(keyRules(`${text}`))
    expect(keyRules(text)).not.toBe(keyRules(writeRules({ networks: ['10.0.0.0/9'], noBrowser: true })))
  })

  it('are no text when nothing is asked for, and the same text in whatever order', () => {
    expect(writeRules({})).toBeNull()
    expect(writeRules({ networks: [], noBrowser: false, noKeys: false, unlabelled: false })).toBeNull()
    expect(writeRules({ unlabelled: true, noKeys: true })).toBe(writeRules({ noKeys: true, unlabelled: true }))
  })

  it('K6, K7: ask for nothing by default', () => {
    expect(keyRules(null)).toEqual({
      networks: undefined,
      refusesBrowsers: false,
      managesKeys: true,
      needsLabel: false,
    })
  })

  it('are the same but for one once the key has a label', () => {
    expect(rulesOnceLabelled(writeRules({ noKeys: true, unlabelled: true }))).toBe(writeRules({ noKeys: true }))
    expect(rulesOnceLabelled(writeRules({ unlabelled: true }))).toBeNull()
    expect(rulesOnceLabelled(null)).toBeNull()
  })
})
