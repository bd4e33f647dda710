import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const TMPFS = 0x0102_1994
/** Several times what the tests have at a time. A container has 64 MiB there by default. */
const ROOM = 2 ** 31

/**
 * A new folder in memory, where the thousands of commits of the tests wait for no disk; undefined where there is none that
 * has room and lets programs run.
 */
export function memoryFolder(within = '/dev/shm', room = ROOM): string | undefined {
  if (process.availableMemory() < 2 * room || !isInMemory(within, room)) return undefined
  const folder = mkdtempSync(join(within, 'portal-tests-'))
  chmodSync(folder, 0o711) // as root, PostgreSQL runs as another user and has its data below
  if (canExecute(folder)) return folder
  rmSync(folder, { recursive: true })
  return undefined
}

/** Temporary files are in memory where that is possible, unless TMPDIR says where; they are gone with this process. */
export function moveToMemory(): void {
  const folder = process.env['TMPDIR'] ? undefined : memoryFolder()
  if (!folder) return
  process.env['TMPDIR'] = folder
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function isInMemory(folder: string, room: number): boolean {
  if (!existsSync(folder)) return false
  const { type, bavail, bsize } = statfsSync(folder)
  return type === TMPFS && bavail * bsize >= room
}

/** Some tests write a program and start it, which not every system allows in memory. */
function canExecute(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  } finally {
    rmSync(program)
  }
}
