import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './children.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CONTENT = ['bin', 'dist', 'package.json']

let program: string | undefined

/** The portal as `npm pack` makes it, built once: what an operator installs and starts. */
export function installPackage(): string {
  if (program) return program
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build-package.ts')], { cwd: ROOT, stdio: 'pipe' })
  const folder = temporaryFolder()
  for (const name of CONTENT) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  program = join(folder, 'bin', 'portal.js')
  return program
}
