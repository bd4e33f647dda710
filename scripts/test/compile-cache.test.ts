import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { emptyWhenLarge } from './compile-cache.ts'

it('what is compiled for tests is kept up to a number of files, then it is made anew', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-compiled-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'v24'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'v24', name), '')
  emptyWhenLarge(folder, 3)
  expect(existsSync(join(folder, 'v24', 'a'))).toBe(true)
  writeFileSync(join(folder, 'v24', 'd'), '')
  emptyWhenLarge(folder, 3)
  expect(existsSync(folder)).toBe(false)
  emptyWhenLarge(folder, 3) // there is nothing left to empty
})
