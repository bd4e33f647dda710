import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../support/sources.ts'

/** The last commit before upgrades were made in steps. */
const COMMIT = '5330d98'

/** Whether the previous version can be had; otherwise why not. */
export function previousVersionProblem(): string | undefined {
  const { status } = spawnSync('git', ['cat-file', '-e', `${COMMIT}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
  return status === 0
    ? undefined
    : `The previous version, commit ${COMMIT}, is not here: this needs git and a clone with its history.`
}

/** Unpacks it into a folder, with the dependencies and the web interface of this checkout. Returns its program. */
export function unpackPreviousVersion(folder: string): string {
  const archive = execFileSync('git', ['archive', COMMIT], { cwd: ROOT, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'web'), { recursive: true })
  symlinkSync(join(ROOT, 'web', 'dist'), join(folder, 'web', 'dist'))
  return join(folder, 'bin', 'portal.js')
}
