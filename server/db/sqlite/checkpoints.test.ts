import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Checkpoints } from './checkpoints.ts'

it.each([
  ['linux', true],
  ['win32', false],
])('bytes that SQLite may have locked are read only where that is no error: %s', (platform, isRead) => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  const path = join(folder, 'portal.db')
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; create table "t" ("x" integer)')
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }))
  onTestFinished(() => {
    vi.unstubAllGlobals()
    database.close()
    rmSync(folder, { recursive: true })
  })
  const checkpoints = new Checkpoints(`${path}-shm`)
  expect(checkpoints.progress() !== undefined).toBe(isRead)
  checkpoints.close()
})
