import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const DATABASE = 'portal.db'
const BESIDE = ['portal.db-wal', 'portal.db-shm']

/** In place: the file stays the same one, and gets another content. */
const copyOver = (folder: string, backup: string) => copyFileSync(backup, join(folder, DATABASE))

const removeFrom = (folder: string, names: string[]) => {
  for (const name of names) rmSync(join(folder, name))
}

/** What people and programs do to the files of a running portal; each gets the folder, and a backup that is smaller. */
export const WAYS_TO_REPLACE: Record<string, (folder: string, backup: string) => void> = {
  'a backup is moved over it': (folder, backup) => {
    copyFileSync(backup, join(folder, 'new.db'))
    renameSync(join(folder, 'new.db'), join(folder, DATABASE))
  },
  'all its files are removed, and a backup is copied': (folder, backup) => {
    removeFrom(folder, [DATABASE, ...BESIDE])
    copyOver(folder, backup)
  },
  'a backup is copied into it': copyOver,
  'a backup of the same size is copied into it': (folder, backup) => {
    const grown = `${backup}-grown`
    copyFileSync(join(folder, DATABASE), grown)
    writeFileSync(join(folder, DATABASE), readFileSync(grown))
  },
  'a backup is copied into it, without the files beside it': (folder, backup) => {
    removeFrom(folder, BESIDE)
    copyOver(folder, backup)
  },
  'it is removed': (folder) => removeFrom(folder, [DATABASE]),
  'it is truncated to nothing': (folder) => truncateSync(join(folder, DATABASE), 0),
  'it is truncated to two pages': (folder) => truncateSync(join(folder, DATABASE), 8192),
  'a folder takes its place': (folder) => {
    removeFrom(folder, [DATABASE])
    mkdirSync(join(folder, DATABASE))
  },
  'a link to a backup takes its place': (folder, backup) => {
    removeFrom(folder, [DATABASE])
    symlinkSync(backup, join(folder, DATABASE))
  },
  'its folder is moved away': (folder) => renameSync(folder, `${folder}-moved`),
  'its folder is replaced by a copy': (folder) => {
    cpSync(folder, `${folder}-copy`, { recursive: true })
    renameSync(folder, `${folder}-moved`)
    renameSync(`${folder}-copy`, folder)
  },
  'its write-ahead log is removed': (folder) => removeFrom(folder, ['portal.db-wal']),
  'the index of its write-ahead log is removed': (folder) => removeFrom(folder, ['portal.db-shm']),
  'its lock file is removed': (folder) => removeFrom(folder, ['portal.lock']),
}
