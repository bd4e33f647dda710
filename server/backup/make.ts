import { existsSync } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import manifest from '../../package.json' with { type: 'json' }
import type { Config } from '../config.ts'
import { openDump } from '../db/open.ts'
import { OperatorError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { diskFull } from '../lib/disk-full.ts'
import { codeOf, systemReasonOf } from '../lib/error-text.ts'
import { syncToDisk } from '../lib/private-files.ts'
import { someBytes } from '../lib/random.ts'
import { findSecret } from '../mail/secret-file.ts'
import type { About } from './format.ts'
import { type Watch, writeBackup } from './write-backup.ts'

/** Ends the names of files that are being written. */
export const PARTIAL = '.partial'

export interface Making extends Watch {
  now: Clock
  passphrase?: string | undefined
}

export interface Made {
  about: About
  tables: { name: string; rows: number }[]
  bytes: number
}

/** Writes a backup of the database to a file that does not exist yet; it has its name only once it is complete. */
export async function makeBackup(config: Config, path: string, making: Making): Promise<Made> {
  await requireFree(path)
  const partial = join(dirname(path), `.${basename(path)}.${someBytes(4).toString('hex')}${PARTIAL}`)
  try {
    const create = async () => (await open(partial, 'wx', 0o600)).createWriteStream({ flush: true })
    const made = await writeTo(config, create, making)
    const { size: bytes } = await stat(partial)
    await nameIt(partial, path)
    return { ...made, bytes }
  } catch (error) {
    throw cannotWrite(path, error)
  } finally {
    await rm(partial, { force: true })
  }
}

/** Writes a backup of the database to a stream, which is opened once the database is, and ended. */
export async function writeTo(
  config: Config,
  open: () => Promise<Writable>,
  { now, passphrase, onProgress, signal }: Making,
): Promise<Omit<Made, 'bytes'>> {
  const dump = await openDump(config)
  signal?.addEventListener('abort', dump.close) // it does not wait for a database that does not answer
  try {
    const { kind, version: database, installation } = dump
    const rows = dump.tables.reduce((sum, table) => sum + table.rows, 0)
    const plain: About = { createdAt: now(), portal: manifest.version, database, kind, installation, rows }
    const secret = passphrase === undefined ? undefined : findSecret(config)
    const about = secret === undefined ? plain : { ...plain, secret }
    await writeBackup(dump, await open(), { about, passphrase, onProgress, signal })
    return { about, tables: dump.tables.map(({ name, rows }) => ({ name, rows })) }
  } finally {
    dump.close()
  }
}

/** Before the work, to say so early; `nameIt` makes sure. */
async function requireFree(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) throw new OperatorError(`${path} is a folder: name a file in it.`)
  if (found) throw alreadyThere(path)
  if (!existsSync(dirname(path))) throw new OperatorError(`There is no folder ${dirname(path)}: create it first.`)
}

/** Linked, not renamed: that never replaces a file. Not every file system has links. */
async function nameIt(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST' || existsSync(path)) throw alreadyThere(path)
    await rename(partial, path)
  }
  syncToDisk(dirname(path))
}

const alreadyThere = (path: string) => new OperatorError(`The file ${path} exists already: choose another name.`)

function cannotWrite(path: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(path, error)
  if (!(error instanceof Error) || !('errno' in error) || 'severity' in error) return error
  return new OperatorError(`The backup ${path} cannot be written (${systemReasonOf(error)}).`, error)
}
