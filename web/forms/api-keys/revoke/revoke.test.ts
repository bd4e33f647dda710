import { expect, it } from 'vitest'
import { among, generatedBy, isConfirmed, stillActive, webhooksOf } from './revoke.ts'

const by = (kind: 'API_KEY' | 'USER' | 'SYSTEM', id: string | null) => ({ kind, id, name: 'somebody' })
const webhook = (id: string, createdBy: ReturnType<typeof by>) => ({
  ...{ id, url: 'https://example.com', description: null, enabled: true },
  createdBy,
})
const key = (id: string, createdBy: ReturnType<typeof by>) => ({ id, label: `label of ${id}`, createdBy })

it('a revoke is confirmed by the exact label alone: no other text, no part of it, no other case, and not nothing', () => {
  const typed = ['Nightly export', ' Nightly export ', '', 'x', 'Nightly', 'nightly export', 'Nightly export 2']
  expect(typed.map((text) => isConfirmed(text, 'Nightly export'))).toEqual([
    ...[true, true],
    ...[false, false, false, false, false],
  ])
  expect(isConfirmed('2', '12')).toBe(false)
})

it('the webhooks of keys that are revoked are those that they created: none of another key, a person or the portal', () => {
  const webhooks = [
    webhook('mine', by('API_KEY', 'k1')),
    webhook('of another key', by('API_KEY', 'k2')),
    webhook('of a person', by('USER', 'k1')),
    webhook('of the command line', by('SYSTEM', null)),
  ]
  const idsOf = (keyIds: string[]) => webhooksOf(webhooks, keyIds).map(({ id }) => id)
  expect(idsOf(['k1'])).toEqual(['mine'])
  expect(idsOf(['k1', 'k2'])).toEqual(['mine', 'of another key'])
  expect(idsOf(['k3'])).toEqual([])
})

it('the descendants of a key are the keys that it generated, and theirs: none of another key or a person', () => {
  const keys = [
    key('child', by('API_KEY', 'root')),
    key('grandchild', by('API_KEY', 'child')),
    key('other', by('API_KEY', 'another root')),
    key('of a person', by('USER', 'root')),
  ]
  expect(generatedBy(keys, 'root')).toEqual([
    { id: 'child', label: 'label of child', parentId: 'root' },
    { id: 'grandchild', label: 'label of grandchild', parentId: 'child' },
  ])
})

it('after a revoke, those descendants are still active that were not revoked and have not expired', () => {
  const keys = [
    { id: 'active', expired: false },
    { id: 'expired', expired: true },
    { id: 'revoked', expired: false },
    { id: 'of somebody else', expired: false },
  ]
  const made = among(keys, [{ id: 'active' }, { id: 'expired' }, { id: 'revoked' }, { id: 'not listed' }])
  expect(made.map(({ id }) => id)).toEqual(['active', 'expired', 'revoked'])
  expect(stillActive(made, ['root', 'revoked'])).toEqual(['active'])
  expect(stillActive(made)).toEqual(['active', 'revoked'])
})
