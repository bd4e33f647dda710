import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findWeb } from '../server/http/web.ts'
import { toJavaScript } from './javascript.ts'

const ROOT = join(import.meta.dirname, '..')
const DIST = join(ROOT, 'dist')
const ENTRY = 'cli/main.ts'

/**
 * Writes the files of the package to `dist/`, in the same tree as the sources: the entry point and everything that it
 * imports.
 */
function buildServer(): number {
  rmSync(DIST, { recursive: true, force: true })
  const paths = [ENTRY]
  for (const path of paths) paths.push(...emit(path).filter((found) => !paths.includes(found)))
  return paths.length
}

/** Writes one file; returns the files that it imports. */
function emit(path: string): string[] {
  const source = readFileSync(join(ROOT, path), 'utf8')
  const { code, imports } = path.endsWith('.json') ? { code: source, imports: [] } : toJavaScript(path, source)
  const target = join(DIST, path.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, code)
  return imports
}

/** Only the current build, in its folder beside the file that names it. */
function copyWeb(): void {
  const built = findWeb()
  if (!built) throw new Error('The web interface is not built: run npm run build.')
  const target = join(DIST, 'web', 'dist')
  cpSync(built, join(target, basename(built)), { recursive: true })
  writeFileSync(join(target, 'current'), basename(built))
}

const files = buildServer()
copyWeb()
console.error(`Built dist/: ${files} files of the server and the command line, and the web interface.`)
