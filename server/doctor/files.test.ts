import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { examinedBy, expectFound, failuresOf } from '../../test/support/process/examined.ts'
import { temporaryFolder } from '../../test/support/process/portal-process.ts'
import { canMount, smallDisk } from '../../test/support/process/small-disk.ts'
import { changeFile, inFolder, type Plant, stoppedPortal, withEnv } from '../../test/support/process/stopped-portal.ts'
import { DAY } from '../lib/clock.ts'
import type { Level } from './result.ts'

const openToOthers = (name: string, mode: number) =>
  inFolder((folder) => {
    writeFileSync(join(folder, name), 'x'.repeat(40), { flag: 'a' })
    chmodSync(join(folder, name), mode)
  })

const withBackups =
  (name: string): Plant =>
  (folder) => {
    const backups = join(folder, 'backups')
    mkdirSync(backups)
    writeFileSync(join(backups, name), '')
    return { env: { DATA_DIR: folder, BACKUP_DIR: backups } }
  }
const oldBackup = withBackups('portal-20260101T000000Z.backup')

const verifiedAt =
  (at: string, age: Plant): Plant =>
  (folder) => {
    changeFile(join(folder, 'portal.db'), `update "backupSchedule" set "verifiedAt" = ${at}`)
    return age(folder)
  }

const weekly: Plant = (folder) => {
  const { env } = oldBackup(folder)
  return { env: { ...env, BACKUP_EVERY: '7d' } }
}
const days = (count: number) => String(Date.now() - count * DAY)

const secretFileForAll: Plant = (folder) => {
  const path = join(folder, 'the-secret')
  writeFileSync(path, 'x'.repeat(40))
  chmodSync(path, 0o644)
  return { env: { DATA_DIR: folder, PORTAL_SECRET_FILE: path } }
}

const littleRoom: Plant = (folder) => ({
  env: { DATA_DIR: folder },
  options: { room: { failure: 0, warning: 1e18 } },
})

const chmodFolder = inFolder((folder) => chmodSync(folder, 0o777))

const PLANTED: [what: string, plant: Plant, check: string, level: Level, words: RegExp][] = [
  ['a wrong value', withEnv({ PORT: 'abc' }), 'configuration', 'failure', /PORT must be/],
  ['a missing file', withEnv({ PORTAL_SECRET_FILE: '/nowhere' }), 'configuration', 'failure', /PORTAL_SECRET_FILE/],
  ['a mistyped variable', withEnv({ RATELIMIT: '5' }), 'unknown variables', 'warning', /RATELIMIT/],
  ['a ledger that others can write', openToOthers('revoked.db', 0o606), 'file modes', 'failure', /revoked\.db/],
  ['a secret that others can read', openToOthers('portal.secret', 0o644), 'file modes', 'failure', /portal\.secret/],
  ['a folder that others can change', chmodFolder, 'file modes', 'failure', /can replace files/],
  ['a secret file that others can read', secretFileForAll, 'file modes', 'warning', /PORTAL_SECRET_FILE/],
  ['a disk with little room', littleRoom, 'disk space', 'warning', /MiB are free/],
  ['no backups', withEnv({}), 'backup', 'warning', /BACKUP_DIR is not set/],
  ['a missing folder of backups', withEnv({ BACKUP_DIR: '/nowhere' }), 'backup', 'failure', /cannot be used/],
  ['that none was verified', verifiedAt('null', oldBackup), 'backup', 'warning', /proven to be restorable/],
  ['that it is gone', verifiedAt(days(1), withBackups('other')), 'backup', 'warning', /is no longer in BACKUP_DIR/],
  ['that it is long ago', verifiedAt(days(3), oldBackup), 'backup', 'warning', /verified backup is 72 hours old/],
  ['nothing, if it is recent', verifiedAt(days(1), oldBackup), 'backup', 'success', /verified backup is 24 hours/],
  ['nothing, if it is weekly', verifiedAt(days(8), weekly), 'backup', 'success', /verified backup is 192 hours/],
]

describe('doctor finds', () => {
  it.each(PLANTED)('%s', async (_what, plant, check, level, words) => {
    await expectFound(plant(await stoppedPortal()), check, level, words)
  })

  it.skipIf(!canMount)('a full disk', async () => {
    const { folder } = smallDisk(8 * 1024)
    await expectFound({ env: { DATA_DIR: join(folder, 'data') } }, 'disk space', 'failure', /MiB are free/)
  })
})

describe('an installation that is sound', () => {
  it('has no failure, and the one warning that there are no backups', async () => {
    const found = await examinedBy({ env: { DATA_DIR: await stoppedPortal() } })
    expect(failuresOf(found)).toEqual([])
    expect([...found].filter(([, { level }]) => level === 'warning').map(([check]) => check)).toEqual(['backup'])
  })

  it('is not changed, nor is one that does not exist created', async () => {
    const folder = await stoppedPortal()
    const content = () =>
      readdirSync(folder).map((name) => {
        const path = join(folder, name)
        return [name, statSync(path).mtimeMs, readFileSync(path, 'base64')]
      })
    const before = content()
    await examinedBy({ env: { DATA_DIR: folder } })
    expect(content()).toEqual(before)
    const nowhere = join(temporaryFolder(), 'nowhere')
    expect(failuresOf(await examinedBy({ env: { DATA_DIR: nowhere } }))).toEqual([])
    expect(statSync(nowhere, { throwIfNoEntry: false })).toBeUndefined()
  })
})
