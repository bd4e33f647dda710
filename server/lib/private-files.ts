import { chmodSync, closeSync, lstatSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the portal itself puts into its folder. */
const OURS = /^portal\.(db(-wal|-shm|-journal)?|secret(\.[0-9a-f]+)?)$/
const OF_OTHERS = 0o077
/** Windows has no such bits: who may read a file there follows from its folder. */
const HAS_MODES = process.platform !== 'win32'

/** An empty file for its owner alone, where there is none, whatever the umask. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/**
 * A folder for its owner alone, where there is none. Step by step: Node's own `recursive` never comes back from a file
 * system that refuses folders, such as /proc.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makePrivateFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Takes away what others may do with the files of ours in the folder. `openToOthers` tells where that was not possible. */
export function tightenFiles(folder: string): void {
  for (const path of openToOthers(folder)) {
    try {
      chmodSync(path, 0o600)
    } catch {
      // another's file, gone meanwhile, or a file system without modes: nothing that keeps the portal from its work
    }
  }
}

/** The files of ours in the folder that somebody else than their owner may read or write; not what a link leads to. */
export function openToOthers(folder: string): string[] {
  if (!HAS_MODES) return []
  const paths = readdirSync(folder)
    .filter((name) => OURS.test(name))
    .map((name) => join(folder, name))
  return paths.filter((path) => {
    const file = lstatSync(path, { throwIfNoEntry: false })
    return file?.isFile() && (file.mode & OF_OTHERS) !== 0
  })
}
