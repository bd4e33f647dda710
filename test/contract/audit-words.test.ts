import { describe, expect, it } from 'vitest'
import { ALL_ACTIONS, actionName, OTHER_ACTION } from '../../server/audit/actions.ts'
import { ACTIONS } from '../../web/pages/audit/words.ts'

describe('the texts of the audit page', () => {
  it('exist for every action that the server records, and for no other', () => {
    expect(ALL_ACTIONS).toContain('api_key.generated')
    expect(Object.keys(ACTIONS).sort()).toEqual([...ALL_ACTIONS, OTHER_ACTION].map(actionName).sort())
  })
})
