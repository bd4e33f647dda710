import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { productionPackages } from '../../../scripts/shipped-packages.ts'
import { ROOT } from '../sources.ts'
import { temporaryFolder } from './portal-process.ts'

const run = promisify(execFile)
const RUNTIME = /^node_modules\/node-(bin-)?(linux|darwin|win)-/

/** The package as `npm pack` makes it: a tarball in a folder of its own, which is the caller's to remove. */
export async function packed(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'portal-package-'))
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT })
  return join(folder, readdirSync(folder)[0] ?? '')
}

/**
 * What `npm install -g --prefix` makes of a tarball, without npm and its registry: the package, a Node.js for it, and a
 * link in `bin`. Without its other dependencies: the package contains them. Nobody may write to it.
 */
export async function installed(tarball: string): Promise<{ portal: string; files(): string[] }> {
  const prefix = temporaryFolder()
  chmodSync(prefix, 0o755)
  const target = join(prefix, 'lib', 'node_modules', 'edge-management-portal')
  mkdirSync(target, { recursive: true })
  await run('tar', ['xzf', tarball, '--strip-components=1', '--no-same-owner', '-C', target])
  for (const path of Object.keys(productionPackages())) {
    if (RUNTIME.test(path) && existsSync(join(ROOT, path))) copyPackage(path, target)
  }
  const portal = join(prefix, 'bin', 'portal')
  mkdirSync(join(prefix, 'bin'))
  symlinkSync(join('..', 'lib', 'node_modules', 'edge-management-portal', 'bin', 'portal.js'), portal)
  await run('chmod', ['-R', 'a-w,a+rX', prefix])
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', prefix])) // before the folder is removed
  return { portal, files: () => filesIn(prefix) }
}

/** A package by itself: those inside it are on the list if they are needed. */
function copyPackage(path: string, target: string): void {
  const source = join(ROOT, path)
  cpSync(source, join(target, path), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (file) => !relative(source, file).startsWith('node_modules'),
  })
}

/** Every file with its size and the time of its last change. */
function filesIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return names.map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
}
