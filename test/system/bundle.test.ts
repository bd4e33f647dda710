import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'

const DIST = join(inject('portal'), '..', '..', 'dist')

it('is written in ASCII: otherwise V8 takes two bytes for each character of a file', () => {
  const files = readdirSync(DIST).filter((name) => name.endsWith('.js'))
  expect(files.length).toBeGreaterThan(10)
  const isAscii = (name: string) => readFileSync(join(DIST, name)).every((byte) => byte < 128)
  expect(files.filter((name) => !isAscii(name))).toEqual([])
})
