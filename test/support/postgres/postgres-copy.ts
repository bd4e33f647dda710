import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { giveAway } from './postgres-place.ts'

/** Each server has its own; the log of writes comes by streaming. */
const LEFT_OUT = /^(postmaster\.(pid|opts)|(pg_wal|pg_replslot|pg_stat_tmp)\/.+)$/

/** Copies the data of a server that is running and writing, ready to follow it as a standby. */
export async function copyAsStandby(sql: Sql, from: string, to: string): Promise<void> {
  await sql`select pg_backup_start('standby', true)`
  copyFolder(from, to, '')
  const [stopped] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
  writeOwn(join(to, 'backup_label'), stopped?.labelfile ?? '')
  writeOwn(join(to, 'standby.signal'), '')
}

function copyFolder(from: string, to: string, below: string): void {
  mkdirSync(join(to, below), { mode: 0o700 })
  giveAway(join(to, below))
  for (const entry of readdirSync(join(from, below), { withFileTypes: true })) {
    const path = join(below, entry.name)
    if (LEFT_OUT.test(path)) continue
    if (entry.isDirectory()) copyFolder(from, to, path)
    else copyUnlessGone(join(from, path), join(to, path))
  }
}

function copyUnlessGone(from: string, to: string): void {
  try {
    copyFileSync(from, to)
    giveAway(to)
  } catch (error) {
    const gone = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!gone) throw error // a table that was dropped meanwhile: what is written later tells the standby so
  }
}

function writeOwn(path: string, text: string): void {
  writeFileSync(path, text)
  giveAway(path)
}
