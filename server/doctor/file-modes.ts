import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { openToOthers, privateFiles } from '../lib/private-files.ts'
import { SECRET_VARIABLES } from '../lib/secret-variables.ts'
import { type Check, type Finding, failure, type Installation, orSuccess, warning } from './check.ts'

const BY_OTHERS = 0o077
const WRITABLE_BY_OTHERS = 0o022
/** Container runtimes mount secrets there, readable inside of the container only. */
const MOUNTED_SECRETS = '/run/secrets/'

/** Who else can read or replace the files of the portal. */
export const fileModes: Check = {
  name: 'file modes',
  run(installation) {
    if (process.platform === 'win32') return [] // there the folder decides who may read a file
    const folders = foldersOf(installation)
    return orSuccess(
      [...folders.flatMap(inFolder), ...secretFiles(installation)],
      folders.length > 0 ? 'Only their owner can read the files of the portal.' : 'The portal has no files yet.',
    )
  },
}

/** Where the portal has files; only those that exist. */
function foldersOf({ config: { dataDir, ledger } }: Installation): string[] {
  const folders = [dataDir, ...(ledger ? [dirname(ledger)] : [])]
  return [...new Set(folders)].filter((folder) => existsSync(folder))
}

function inFolder(folder: string): Finding[] {
  const { mode, uid } = statSync(folder)
  const isShared = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & 0o1000) === 0 // with the sticky bit nobody removes files of others
  const files = openToOthers(folder)
  return [
    ...(isShared
      ? [failure(`Others than its owner can replace files in ${folder}.`, `Remove that right: chmod go-w ${folder}`)]
      : []),
    ...files.map((path) => failure(`Others than its owner can read ${path}.`, `Remove that right: chmod 600 ${path}`)),
    ...privateFiles(folder, (file) => file.uid !== uid).map((path) =>
      failure(
        `${path} belongs to another user than its folder.`,
        `The portal may not be able to use it: chown --reference=${folder} ${path}`,
      ),
    ),
    ...(isNotOurs(uid)
      ? [
          warning(
            `${folder} belongs to another user than the one that runs this.`,
            'Run commands as the user of the portal, or as root.',
          ),
        ]
      : []),
  ]
}

const isNotOurs = (uid: number) => process.getuid?.() !== 0 && process.getuid?.() !== uid

function secretFiles({ env }: Installation): Finding[] {
  return SECRET_VARIABLES.flatMap((name) => {
    const path = env[`${name}_FILE`]?.trim()
    if (!path || path.startsWith(MOUNTED_SECRETS)) return []
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file?.isFile() || (file.mode & BY_OTHERS) === 0) return []
    return [warning(`Others than its owner can read the file of ${name}_FILE.`, `Remove that right: chmod 600 ${path}`)]
  })
}
