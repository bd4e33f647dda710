import { describe, expect, it } from 'vitest'
import { keyRules, refusalBy, rulesOnceLabelled, writeRules } from './key-rules.ts'

const call = { address: '10.0.0.1', origin: undefined }

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

  it('K6, K7: let everything pass by default', () => {
    expect(keyRules(null)).toEqual({
      networks: undefined,
      refusesBrowsers: false,
      managesKeys: true,
      needsLabel: false,
    })
    expect(refusalBy(keyRules(null), { address: 'unreadable', origin: 'https://example.com' })).toBeUndefined()
  })

  it.each([
    ['from elsewhere', { networks: ['192.0.2.0/24'] }, call, /network/],
    ['from nowhere that can be read', { networks: ['0.0.0.0/0', '::/0'] }, { ...call, address: '' }, /network/],
    ['by a browser', { noBrowser: true }, { ...call, origin: 'https://example.com' }, /browser/],
    ['by a browser that hides where it is', { noBrowser: true }, { ...call, origin: 'null' }, /browser/],
    ['with an empty Origin', { noBrowser: true }, { ...call, origin: '' }, /browser/],
    ['without a label', { unlabelled: true }, call, /rename/],
  ])('refuse a call %s, and say what to do', (_how, rules, asked, says) => {
    const refusal = refusalBy(keyRules(writeRules(rules)), asked)
    expect(refusal?.code).toBe('FORBIDDEN')
    expect(refusal?.message).toMatch(says)
  })

  it('let pass what they allow', () => {
    const rules = keyRules(writeRules({ networks: ['10.0.0.0/8'], noBrowser: true, noKeys: true }))
    expect(refusalBy(rules, call)).toBeUndefined()
    expect(refusalBy(rules, { ...call, address: '::ffff:10.0.0.1' })).toBeUndefined()
    expect(rules.managesKeys).toBe(false)
  })

  it('are the same but for one once the key has a label', () => {
    expect(rulesOnceLabelled(writeRules({ noKeys: true, unlabelled: true }))).toBe(writeRules({ noKeys: true }))
    expect(rulesOnceLabelled(writeRules({ unlabelled: true }))).toBeNull()
    expect(rulesOnceLabelled(null)).toBeNull()
  })
})
