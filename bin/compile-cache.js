import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import module from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022
const REACHABLE_BY_OTHERS = 0o077
/** Eight times what a start stores. */
const MOST_BYTES = 16 * 1024 * 1024
const OF_A_RUNTIME = /^v\d+\.\d+\.\d+-/

/**
 * Lets Node.js keep the compiled code of an installed package, for the next start: in the data folder, since the package may be
 * read-only, and only where nobody else can write, since what is stored there is run.
 */
export function keepCompiledCode() {
  const data = process.env['DATA_DIR'] || './data'
  const folder = join(data, 'compiled')
  try {
    if (!isOurs(data, WRITABLE_BY_OTHERS)) return
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
    if (!isOurs(folder, REACHABLE_BY_OTHERS)) return // what Node.js makes in it has the modes of the umask
    module.enableCompileCache(folder) // not a named import: Node.js 20 has no such export
    removeFormer(folder)
  } catch {
    // a full disk, or one that is read-only: it starts all the same
  }
}

/**
 * @param {string} folder
 * @param {number} forbidden
 */
function isOurs(folder, forbidden) {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory() || process.platform === 'win32') return false // there, modes tell nothing
  return found.uid === process.getuid?.() && (found.mode & forbidden) === 0
}

/**
 * Node.js has a folder for each of its versions and a file for each path, and deletes none: the folders of other versions go at
 * once, and all files when there are too many of them.
 * @param {string} folder
 */
function removeFormer(folder) {
  const current = module.getCompileCacheDir()
  if (current === undefined || dirname(current) !== resolve(folder)) return // switched off, or another folder was set
  const others = readdirSync(folder).filter((name) => OF_A_RUNTIME.test(name) && name !== basename(current))
  const files = readdirSync(current).map((name) => join(current, name))
  const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  for (const path of [...others.map((name) => join(folder, name)), ...(bytes > MOST_BYTES ? files : [])])
    rmSync(path, { recursive: true, force: true })
}
