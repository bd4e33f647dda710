import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { SECRET_VARIABLES } from '../config/secret-variables.ts'
import { PORTAL_FILES } from '../db/sqlite/database.ts'
import { openToOthers, privateFiles, RIGHTS_OF_OTHERS } from '../lib/private-files.ts'
import { type Found, failure, type Installation, orSuccess, success, warning } from './result.ts'

const MIB = 1024 * 1024
/** NFS, SMB, CIFS and 9P: locks of SQLite do not work on most of them. */
const NETWORK = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997])

/** Whether there is room for what the portal writes, and whether the file system suits SQLite. */
export function diskSpace(installation: Installation): Found {
  const { config } = installation
  const places = [
    ...(config.postgres && config.ledger ? [] : [config.dataDir]),
    ...(config.ledger ? [dirname(config.ledger)] : []),
  ]
  return [...new Set(places.map(existing))].map((folder) => spaceIn(folder, installation))
}

function spaceIn(folder: string, { options: { room } }: Installation): Found {
  const { bavail, bsize, type } = statfsSync(folder)
  const free = bavail * bsize
  const words = `${Math.floor(free / MIB).toLocaleString('en')} MiB are free for ${folder}.`
  const action = 'Make room, or move the folder to a larger disk: on a full one nothing can be saved but revokes.'
  return [
    free < room.failure ? failure(words, action) : free < room.warning ? warning(words, action) : success(words),
    NETWORK.has(type) &&
      warning(
        `${folder} is on a network file system.`,
        'Use a local disk: locks of SQLite do not work on most network file systems.',
      ),
  ]
}

/** The folder, or the nearest one above it that exists. */
export function existing(folder: string): string {
  const above = dirname(folder)
  return existsSync(folder) || above === folder ? folder : existing(above)
}

const WRITABLE_BY_OTHERS = 0o022
/** Container runtimes mount secrets there, readable inside of the container only. */
const MOUNTED_SECRETS = '/run/secrets/'

/** Who else can read or replace the files of the portal. */
export function fileModes(installation: Installation): Found {
  if (process.platform === 'win32') return [] // there the folder decides who may read a file
  const folders = foldersOf(installation)
  return orSuccess(
    [folders.map(modesIn), secretFiles(installation)],
    folders.length > 0 ? 'Only their owner can read the files of the portal.' : 'The portal has no files yet.',
  )
}

/** Where the portal has files; only those that exist. */
function foldersOf({ config: { dataDir, ledger } }: Installation): string[] {
  const folders = [dataDir, ...(ledger ? [dirname(ledger)] : [])]
  return [...new Set(folders)].filter((folder) => existsSync(folder))
}

function modesIn(folder: string): Found {
  const { mode, uid } = statSync(folder)
  const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & 0o1000) === 0 // with the sticky bit nobody removes files of others
  const files = openToOthers(folder, PORTAL_FILES)
  return [
    isShared &&
      failure(`Others than its owner can replace files in ${folder}.`, `Remove that right: chmod go-w ${folder}`),
    ...files.map((path) => failure(`Others than its owner can read ${path}.`, `Remove that right: chmod 600 ${path}`)),
    ...privateFiles(folder, PORTAL_FILES, (file) => file.uid !== uid).map((path) =>
      failure(
        `${path} belongs to another user than its folder.`,
        `The portal may not be able to use it: chown --reference=${folder} ${path}`,
      ),
    ),
    isNotOurs(uid) &&
      warning(
        `${folder} belongs to another user than the one that runs this.`,
        'Run commands as the user of the portal, or as root.',
      ),
  ]
}

const isNotOurs = (uid: number) => process.getuid?.() !== 0 && process.getuid?.() !== uid

function secretFiles({ env }: Installation): Found {
  return SECRET_VARIABLES.map((name) => {
    const path = env[`${name}_FILE`]?.trim()
    if (!path || path.startsWith(MOUNTED_SECRETS)) return undefined
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file?.isFile() || (file.mode & RIGHTS_OF_OTHERS) === 0) return undefined
    return warning(`Others than its owner can read the file of ${name}_FILE.`, `Remove that right: chmod 600 ${path}`)
  })
}
