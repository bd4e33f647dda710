import { execFileSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** What npm's package does not have, and the server that goes with it. */
const PROGRAMS = ['initdb', 'postgres', 'pg_dump', 'pg_restore']
const OLDEST = 15

/** The folder of a PostgreSQL of this machine, with `pg_dump` and `pg_restore`; undefined: there is none. */
export function installedPostgres(): string | undefined {
  const inPath = (process.env['PATH'] ?? '').split(delimiter)
  const ofDebian = globSync('/usr/lib/postgresql/*/bin') // PATH has only pg_dump there, and of any version
  return [...inPath, ...ofDebian].find(
    (folder) =>
      folder !== '' &&
      PROGRAMS.every((program) => existsSync(join(folder, program))) &&
      versionIn(folder, 'pg_dump') >= OLDEST &&
      versionIn(folder, 'postgres') >= OLDEST,
  )
}

const versionIn = (folder: string, program: string): number => {
  const said = execFileSync(join(folder, program), ['--version'], { encoding: 'utf8' })
  return Number(/(\d+)/.exec(said)?.[1] ?? 0)
}
