import { describe, expect, it } from 'vitest'
import { mintSecret } from '../secrets/secret.ts'
import { changesBetween, createdWith, deletedWith, MAX_FIELDS, readChanges, storedChanges } from './changed-fields.ts'

const stored = (changes: Parameters<typeof storedChanges>[0]) => readChanges(storedChanges(changes))

describe('changes', () => {
  it('are the fields that differ, with their values before and after', () => {
    const before = { name: 'edge-1', enabled: true, tags: ['a'], location: { name: 'Lyon' }, description: null }
    const after = { ...before, tags: ['a', 'b'], location: { name: 'Oslo' }, description: 'Ünïcödé 🛰' }
    expect(changesBetween(before, after)).toEqual([
      { field: 'tags', before: ['a'], after: ['a', 'b'] },
      { field: 'location', before: { name: 'Lyon' }, after: { name: 'Oslo' } },
      { field: 'description', before: null, after: 'Ünïcödé 🛰' },
    ])
    expect(stored(changesBetween(before, after))).toEqual(changesBetween(before, after))
    expect(storedChanges(changesBetween(before, before))).toBeNull()
  })

  it('of something new have no value before, of something deleted none after', () => {
    expect(createdWith({ name: 'a', description: null })).toEqual([{ field: 'name', before: null, after: 'a' }])
    expect(deletedWith({ name: 'a', enabled: false })).toEqual([
      { field: 'name', before: 'a', after: null },
      { field: 'enabled', before: false, after: null },
    ])
  })

  it('never hold a secret of ours, however deep', () => {
    const secrets = (['emp_', 'emi_', 'emr_', 'emv_'] as const).map((prefix) => mintSecret(prefix))
    const text = storedChanges(
      createdWith({
        plain: secrets[0],
        list: [`x ${secrets[1]} y`],
        deep: { a: [{ b: secrets[2] }] },
        more: secrets[3],
      }),
    )
    for (const secret of secrets) expect(text).not.toContain(secret.slice(4, 40))
    expect(text).toContain('[secret]')
  })

  it('keep lines, and drop other control characters', () => {
    expect(stored(createdWith({ description: 'one\ntwo\u202e\u0000three' }))).toEqual([
      { field: 'description', before: null, after: 'one\ntwothree' },
    ])
  })

  it('are of bounded size, and name every field', () => {
    const long = '🛰'.repeat(10_000)
    const [change] = stored([{ field: 'description', before: null, after: long }]) ?? []
    expect(String(change?.after)).toMatch(/^🛰{100}/u)
    expect(String(change?.after).length).toBeLessThan(2_010)
    expect(String(change?.after).isWellFormed()).toBe(true)
    const many = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`field${i}`, long]))
    const text = storedChanges(createdWith(many)) ?? ''
    expect(text.length).toBeLessThan(16_000)
    expect(readChanges(text)?.map(({ field }) => field)).toEqual(Object.keys(many))
    const list = Array.from({ length: 2_000 }, (_, i) => `entry ${i}`)
    expect(stored(createdWith({ list }))).toEqual([{ field: 'list', before: null, after: '…' }])
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field${i}`, i]))
    expect(stored(createdWith(fields))).toHaveLength(MAX_FIELDS)
  })

  it('in a format of another version are read as none', () => {
    expect([null, '', 'x', '{}', '[1]', '[{"name":"x"}]'].map(readChanges)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ])
  })
})
