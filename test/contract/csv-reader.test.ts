import { describe, expect, it } from 'vitest'
import { type CsvRow, createCsvReader, separatorOf } from '../../web/forms/devices/import/csv-reader.ts'
import { fc } from '../support/fast-check.ts'

/** All rows of a text that comes in these pieces. */
function read(pieces: readonly string[], separator = ','): CsvRow[] {
  const reader = createCsvReader(separator)
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`
const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', 'é', ' '), maxLength: 6 })
const table = fc.array(fc.tuple(cell, cell), { maxLength: 8 })

describe('rows of a CSV file', () => {
  it('come back as they were written, with their lines, whatever the pieces they arrive in', () => {
    fc.assert(
      fc.property(table, fc.constantFrom('\n', '\r\n', '\r'), fc.integer({ min: 1, max: 7 }), (rows, end, size) => {
        const written = rows.map((cells) => cells.map(quoted).join(',') + end)
        const text = written.join('')
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
          text.slice(i * size, (i + 1) * size),
        )
        const lineOf = (index: number) =>
          written
            .slice(0, index)
            .join('')
            .split(/\r\n|\r|\n/).length
        expect(read(pieces)).toEqual(rows.map((cells, index) => ({ line: lineOf(index), cells })))
      }),
    )
  })

  it('need no quotes, no last line end, and no text in every line', () => {
    expect(read(['a,b\n\n \n1,"2"\r\n3,5" disk'])).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 4, cells: ['1', '2'] },
      { line: 5, cells: ['3', '5" disk'] },
    ])
  })

  it('are separated by what the first line has most of, outside of quotes', () => {
    expect(separatorOf('name;tags;firmware, or none')).toBe(';')
    expect(separatorOf('"a;b;c",tags')).toBe(',')
    expect(separatorOf('name\ttags')).toBe('\t')
    expect(separatorOf('name')).toBe(',')
    expect(read(['a;"b;c"'], ';')).toEqual([{ line: 1, cells: ['a', 'b;c'] }])
  })

  it.for([
    ['never closed', 'name\na\n"b\nc\n', 3],
    ['closed by the next one', 'name,tags\n"a,x\n"b",y\n', 2],
    ['with text after it', 'name\n"a"b\n', 2],
    ['not closed for too long', `name\n"${'long '.repeat(5_000)}`, 2],
  ] as const)('end at a quote that is %s, with its line', ([, text, line]) => {
    expect(() => read([text])).toThrow(expect.objectContaining({ name: 'FileError', line }))
  })
})
