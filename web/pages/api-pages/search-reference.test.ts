import { expect, it } from 'vitest'
import type { Reference } from '../../api/schema-reference.ts'
import { searchReference } from './search-reference.ts'

const REFERENCE: Reference = {
  queries: [
    { name: 'apiKeys', description: 'The keys.', type: 'ApiKeyList!', access: [] },
    { name: 'devices', description: 'The fleet.', type: 'DeviceList!', access: ['ADMIN'] },
    {
      name: 'device',
      description: 'One of them.',
      type: 'Device',
      access: [],
      args: [{ name: 'id', description: 'Its id.', type: 'ID!' }],
    },
  ],
  mutations: [],
  types: [
    {
      kind: 'enum',
      name: 'Status',
      description: '',
      values: [{ name: 'NEVER_SEEN', description: 'No check-in yet.' }],
    },
    {
      kind: 'type',
      name: 'Location',
      description: '',
      fields: [{ name: 'timeZone', description: 'Of the device.', type: 'String' }],
    },
  ],
}

const found = (search: string) => {
  const { queries, types } = searchReference(REFERENCE, search)
  return [...queries, ...types].map(({ name }) => name)
}

it('finds every word, in any case, in names, descriptions, arguments, fields and values', () => {
  expect(found('TIMEZONE')).toEqual(['Location'])
  expect(found('never_seen')).toEqual(['Status'])
  expect(found('check-in yet')).toEqual(['Status'])
  expect(found('one its')).toEqual(['device'])
  expect(found('apikeylist')).toEqual(['apiKeys'])
  expect(found('one nothing')).toEqual([])
})

it('puts what has that name first, then other names, then texts', () => {
  expect(found('device')).toEqual(['device', 'devices', 'Location'])
})

it('shows everything where nothing is searched for', () => {
  expect(found('  ')).toHaveLength(5)
})
