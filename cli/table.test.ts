import { expect, it } from 'vitest'
import { cut, detailLines, table } from './table.ts'

it('a table is aligned by its widest cells, counted in characters, with no blanks at the end of a line', () => {
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

it('detailLines stand under each other', () => {
  expect(detailLines({ id: '01a', 'api keys': 'off' })).toBe('  id        01a\n  api keys  off')
})

it('what is too long is cut, and says so', () => {
  expect([cut('nightly', 7), cut('nightly report', 7), cut('🛰️🛰️🛰️', 4)]).toEqual(['nightly', 'nightl…', '🛰️🛰…'])
})
