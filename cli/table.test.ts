import { expect, it } from 'vitest'
import { cut, detailLines, table } from './table.ts'

it('a table is aligned by its widest cells, counted in characters, without trailing blanks', () => {
  const rows = [
    ['01a', '🛰️ edge', 'never'],
    ['0123456789', 'ci', ''],
  ]
  expect(table(['id', 'label', 'last used'], rows).split('\n')).toEqual([
    'ID          LABEL    LAST USED',
    '01a         🛰️ edge  never',
    '0123456789  ci',
  ])
})

it('details are aligned in two columns', () => {
  expect(detailLines({ id: '01a', 'api keys': 'off' })).toBe('  id        01a\n  api keys  off')
})

it('a text that is too long is cut and ends with an ellipsis', () => {
  expect([cut('nightly', 7), cut('nightly report', 7), cut('🛰️🛰️🛰️', 4)]).toEqual(['nightly', 'nightl…', '🛰️🛰…'])
})
