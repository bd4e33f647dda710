import { chownSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUser } from './postgres-binaries.ts'
import { guardFolder } from './postgres-guard.ts'

export type Place = ReturnType<typeof newPlace>

/** A folder for one server, guarded, with files that PostgreSQL may read and nobody else. */
export function newPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'portal-postgres-'))
  const guard = guardFolder(folder)
  giveAway(folder)
  /** Makes a file of the server's own. */
  const add = (name: string, make: (path: string) => void): string => {
    const path = join(folder, name)
    make(path)
    giveAway(path)
    return path
  }
  return {
    folder,
    data: join(folder, 'data'),
    guard,
    write: (name: string, text: string) => add(name, (path) => writeFileSync(path, text, { mode: 0o600 })),
    copy: (name: string, from: string) => add(name, (path) => writeFileSync(path, readFileSync(from), { mode: 0o600 })),
  }
}

/** To whoever PostgreSQL runs as. */
export function giveAway(path: string): void {
  const user = databaseUser()
  if (user) chownSync(path, user.uid, user.gid)
}
