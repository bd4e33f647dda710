import { expect, it } from 'vitest'
import type { KeyChange } from '../../api/key-changes.ts'
import { changesCsv } from './changes-file.ts'

const EVENT: KeyChange = {
  id: 'e1',
  at: '2026-11-15T12:00:00.000Z',
  action: 'DEVICE_UPDATED',
  subject: '=cmd',
  subjectType: 'DEVICE',
  subjectId: 'd1',
  details: null,
  ip: '10.0.0.1',
  actor: { kind: 'API_KEY', id: 'k1', name: '@key' },
  changes: [
    { field: 'tags', before: ['a', 'b'], after: [] },
    { field: 'description', before: null, after: '+1 "x"\nline 2' },
  ],
}

it('a CSV file of changes has a line for each field, and nothing in it runs as a formula', () => {
  const begin = "2026-11-15T12:00:00.000Z,'@key,k1,DEVICE_UPDATED,DEVICE,'=cmd,d1"
  expect(changesCsv([EVENT])).toBe(
    `${begin},tags,"[""a"",""b""]",[],10.0.0.1,e1\r\n${begin},description,,"'+1 ""x""\nline 2",10.0.0.1,e1\r\n`,
  )
  expect(changesCsv([{ ...EVENT, changes: null }])).toBe(`${begin},,,,10.0.0.1,e1\r\n`)
})
