import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Dump } from '../db/dump.ts'
import { bringUpTo } from '../db/migrate.ts'
import { dumpOf } from '../db/sqlite/dump.ts'
import { isDiskFull } from '../db/sqlite/errors.ts'
import { fillSqlite } from '../db/sqlite/filling.ts'
import { OperatorError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { fillFrom, requireKnownVersion } from './fill-database.ts'
import type { About, TableEnd } from './format.ts'
import { openBackup } from './read-backup.ts'
import { createRowCounter, type Watch } from './write-backup.ts'

/** Begins the names of folders with a scratch database. */
export const SCRATCH = 'portal-verify-'

interface Verifying extends Watch {
  now: Clock
  askPassphrase: () => Promise<string>
  /** The folder for the scratch database; undefined: the one for temporary files. */
  scratch?: string | undefined
}

export interface Verified {
  about: About
  isEncrypted: boolean
  tables: ({ name: string } & TableEnd)[]
}

/** Restores a backup into a scratch database, and compares what that has with what was written. Throws if it differs. */
export async function verifyBackup(
  path: string,
  { askPassphrase, scratch: parent = tmpdir(), ...options }: Verifying,
): Promise<Verified> {
  const folder = makeFolder(parent)
  const backup = await openBackup(path, askPassphrase).catch((error) => {
    rmSync(folder, { recursive: true })
    throw error
  })
  try {
    requireKnownVersion(backup, path)
    const scratch = join(folder, 'scratch.db')
    const written = await fillSqlite(scratch, (filling) => fillFrom(filling, backup, options))
    const restored = await endsIn(scratch, backup.about.database, options.signal)
    for (const [name, { rows, sha256 }] of written) {
      const found = restored.get(name)
      if (found?.rows !== rows || found.sha256 !== sha256)
        throw new OperatorError(
          `The backup ${path} cannot be relied on: the table ${name} differs once it is restored.`,
        )
    }
    await fillSqlite(scratch, ({ db, columnTypes }) => bringUpTo(db, { columnTypes, now: options.now }))
    const { about, isEncrypted } = backup
    return { about, isEncrypted, tables: [...written].map(([name, end]) => ({ name, ...end })) }
  } catch (error) {
    throw isDiskFull(error)
      ? new OperatorError(
          `The disk that holds ${folder} is full: make room on it, or name a folder on another by --scratch.`,
          error,
        )
      : error
  } finally {
    await backup.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function makeFolder(parent: string): string {
  try {
    return mkdtempSync(join(parent, SCRATCH))
  } catch (error) {
    throw new OperatorError(`The folder ${parent} cannot be written to: name another one by --scratch.`, error)
  }
}

async function endsIn(path: string, version: number, signal: AbortSignal | undefined): Promise<Map<string, TableEnd>> {
  const database = new DatabaseSync(path)
  const dump: Dump = dumpOf(database, path)
  try {
    if (dump.version !== version) throw new Error('The scratch database has another version than the backup.')
    const ends = new Map<string, TableEnd>()
    for (const table of dump.tables) {
      const counter = createRowCounter()
      for await (const block of dump.rowsOf(table)) {
        counter.add(block)
        await yieldToEventLoop() // a signal is noticed meanwhile
        signal?.throwIfAborted()
      }
      ends.set(table.name, counter.end())
    }
    return ends
  } finally {
    dump.close()
  }
}
