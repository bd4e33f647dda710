import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Check, type Finding, failure, type Installation, success, warning } from './check.ts'

const MIB = 1024 * 1024
/** NFS, SMB, CIFS and 9P: locks of SQLite do not work on most of them. */
const NETWORK = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997])

/** Whether there is room for what the portal writes, and whether the file system suits SQLite. */
export const diskSpace: Check = {
  name: 'disk space',
  run(installation) {
    const { config } = installation
    const places = [
      ...(config.postgres && config.ledger ? [] : [config.dataDir]),
      ...(config.ledger ? [dirname(config.ledger)] : []),
    ]
    return [...new Set(places.map(existing))].flatMap((folder) => inFolder(folder, installation))
  },
}

function inFolder(folder: string, { options: { room } }: Installation): Finding[] {
  const { bavail, bsize, type } = statfsSync(folder)
  const free = bavail * bsize
  const words = `${Math.floor(free / MIB).toLocaleString('en')} MiB are free for ${folder}.`
  const action = 'Make room, or move the folder to a larger disk: on a full one nothing can be saved but revokes.'
  return [
    free < room.failure ? failure(words, action) : free < room.warning ? warning(words, action) : success(words),
    ...(NETWORK.has(type)
      ? [
          warning(
            `${folder} is on a network file system.`,
            'Use a local disk: locks of SQLite do not work on most network file systems.',
          ),
        ]
      : []),
  ]
}

/** The folder, or the nearest one above it that exists. */
function existing(folder: string): string {
  const above = dirname(folder)
  return existsSync(folder) || above === folder ? folder : existing(above)
}
