import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const INSTALL_MS = 180_000
const FLAGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']

type Packages = Record<string, { version?: string; optional?: boolean }>

/** Installs what the lockfile of a folder names into the folder itself, unless it is installed. */
export async function install(folder: string): Promise<void> {
  if (isInstalled(folder)) return
  const npm = spawn(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', ...FLAGS], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    timeout: INSTALL_MS,
  })
  let said = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.setEncoding('utf8').on('data', (words) => (said += words))
  const end = await new Promise<unknown>((resolve) => npm.once('error', resolve).once('close', resolve))
  if (end === 0) return
  const why = end instanceof Error ? end.message : said.trim() || `no end after ${INSTALL_MS / 1000} s`
  throw new Error(`npm could not install it: ${why}`)
}

function isInstalled(folder: string): boolean {
  try {
    const present = packagesIn(join(folder, 'node_modules', '.package-lock.json'))
    return Object.entries(packagesIn(join(folder, 'package-lock.json'))).every(
      ([path, { version, optional }]) => path === '' || (present[path] ? present[path].version === version : optional),
    )
  } catch {
    return false
  }
}

const packagesIn = (lockfile: string): Packages => JSON.parse(readFileSync(lockfile, 'utf8')).packages
