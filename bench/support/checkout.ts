import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './children.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const RESULTS = join(ROOT, 'bench', 'results')

/** The sources of a commit. */
export interface Checkout {
  name: string
  folder: string
}

export const THIS_CHECKOUT: Checkout = { name: 'portal', folder: ROOT }

/**
 * The commit that this checkout is changed from, or its parent if nothing is changed. It is inside this checkout, and
 * so uses its dependencies.
 */
export function checkOutEarlier(): Checkout {
  const commit = git('rev-parse', '--short', git('status', '--porcelain') ? 'HEAD' : 'HEAD~1')
  mkdirSync(RESULTS, { recursive: true })
  const folder = temporaryFolder(RESULTS)
  const archive = join(folder, 'sources.tar')
  git('archive', '--output', archive, commit)
  execFileSync('tar', ['-xf', archive, '-C', folder], { stdio: 'pipe' })
  return { name: commit, folder }
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim()
