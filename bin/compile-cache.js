import { existsSync, mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/**
 * Lets Node.js keep the compiled code of an installed package, for the next start: in the data folder, since the package may be
 * read-only, and only where nobody else can write, since what is stored there is run.
 */
export function keepCompiledCode() {
  const data = process.env['DATA_DIR'] || './data'
  const folder = join(data, 'compiled')
  try {
    if (!isOurs(data)) return
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    if (isOurs(folder)) module.enableCompileCache(folder) // not a named import: Node.js 20 has no such export
  } catch {
    // a full disk, or one that is read-only: it starts all the same
  }
}

/** @param {string} folder */
function isOurs(folder) {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory() || process.platform === 'win32') return false // there, modes tell nothing
  return found.uid === process.getuid?.() && (found.mode & WRITABLE_BY_OTHERS) === 0
}
