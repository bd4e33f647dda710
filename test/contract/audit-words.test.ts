import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ACTIONS } from '../../web/pages/audit/words.ts'

const SOURCE = readFileSync(join(import.meta.dirname, '..', '..', 'server', 'audit', 'audit-event.ts'), 'utf8')

describe('the texts of the audit page', () => {
  it('exist for every action that the server records, and for no other', () => {
    const written = [...SOURCE.matchAll(/^ {2}\| '([a-z_.]+)'$/gm)].map(([, action]) => action)
    expect(written).toContain('api_key.generated')
    expect(Object.keys(ACTIONS).sort()).toEqual(written.sort())
  })
})
