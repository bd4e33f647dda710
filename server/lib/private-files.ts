import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

export const RIGHTS_OF_OTHERS = 0o077
/** It has no such mode bits: there the folder decides who may read a file. */
const IS_WINDOWS = process.platform === 'win32'

/** Creates an empty file that only its owner may read, whatever the umask; does nothing if it exists. */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return // closing a file ends every lock that this process has on it
  closeSync(openSync(path, 'a', 0o600))
}

/** As SQLite does with the files beside a database: what root creates belongs to the owner of that, or of the folder. */
export function makeWithOwnerOf(other: string, path: string): void {
  makePrivateFile(path)
  if (process.getuid?.() !== 0) return
  const { uid, gid } = statSync(other, { throwIfNoEntry: false }) ?? statSync(dirname(path))
  chownSync(path, uid, gid)
}

/** What the file or the folder has is on disk once this returns. Windows refuses to open them for it, and does not need it. */
export function syncToDisk(path: string): void {
  if (IS_WINDOWS) return
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Level by level: Node's own `recursive` never returns on a file system that refuses folders, such as /proc. */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  makePrivateFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Removes the access of others from files of these names in the folder. `openToOthers` lists those where that failed. */
export function tightenFiles(folder: string, names: RegExp): void {
  for (const path of openToOthers(folder, names)) {
    try {
      chmodSync(path, 0o600)
    } catch {
      // another owner's file, deleted in the meantime, or a file system without modes: none of it stops the portal
    }
  }
}

/** Which of them others than their owner may read or write; does not follow links. */
export const openToOthers = (folder: string, names: RegExp): string[] =>
  privateFiles(folder, names, ({ mode }) => (mode & RIGHTS_OF_OTHERS) !== 0)

/** The files of these names in the folder of which this is so. */
export function privateFiles(folder: string, names: RegExp, isSo: (file: Stats) => boolean): string[] {
  if (IS_WINDOWS) return []
  const paths = readdirSync(folder)
    .filter((name) => names.test(name))
    .map((name) => join(folder, name))
  return paths.filter((path) => {
    const file = lstatSync(path, { throwIfNoEntry: false })
    return file?.isFile() && isSo(file)
  })
}
