import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { canMount } from '../../test/support/process/small-disk.ts'
import { memoryFolder } from './memory-folder.ts'

function mounted(options: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  return folder
}

it.runIf(canMount)('is in memory with enough room, and leaves nothing else there', () => {
  const folder = mounted('size=64m')
  const found = memoryFolder(folder, 2 ** 20)
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([found])
  expect(readdirSync(String(found))).toEqual([])
})

it.runIf(canMount)('is not where there is too little room, and not where programs cannot run', () => {
  const noPrograms = mounted('size=64m,noexec')
  expect(memoryFolder(noPrograms, 2 ** 20)).toBeUndefined()
  expect(readdirSync(noPrograms)).toEqual([])
  expect(memoryFolder(mounted('size=64k'), 2 ** 20)).toBeUndefined()
})

it('is neither on a disk nor in a folder that does not exist', () => {
  expect(memoryFolder('/dev/no-such-folder', 1)).toBeUndefined()
  expect(memoryFolder(import.meta.dirname, 1)).toBeUndefined()
})
