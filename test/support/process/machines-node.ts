import { chmodSync, copyFileSync, linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How Node.js is started with other versions than it has: those in the variable PLANTED_VERSIONS. */
export const PLANTED_VERSIONS = fileURLToPath(import.meta.resolve('./planted-versions.js'))

/** The runtime of the tests at another place, as a machine's own would be: the copy from npm is another one. */
export function machinesNode(folder: string): string {
  const path = join(folder, 'machines-node')
  try {
    linkSync(process.execPath, path)
  } catch {
    copyFileSync(process.execPath, path) // on another disk
  }
  return path
}

/** A `node` in the folder that takes itself for Node.js 20, on which nothing of ours can run. */
export function oldNode(folder: string): void {
  const planted = join(folder, 'planted-versions.mjs')
  copyFileSync(PLANTED_VERSIONS, planted)
  const versions = `PLANTED_VERSIONS='{"node":"20.20.2"}'`
  writeFileSync(
    join(folder, 'node'),
    `#!/bin/sh\n${versions} exec '${machinesNode(folder)}' --import '${planted}' "$@"\n`,
  )
  chmodSync(join(folder, 'node'), 0o755)
}
