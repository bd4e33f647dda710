import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it as plain } from 'vitest'
import { inWorld } from '../../test/support/world/fixtures.ts'
import { startWorld } from '../../test/support/world/world.ts'
import { readConfig } from '../config.ts'
import { openDatabase } from '../db/open.ts'
import { DAY, HOUR, MINUTE } from '../lib/clock.ts'
import { pathOf, prune, requireOwnFolder, takeFolder, unverified, verifiedIn } from './folder.ts'
import { claimBackup, releaseClaim, renewClaim } from './schedule.ts'

const NOW = Date.UTC(2026, 10, 16, 12)

const inFolder = plain.extend('folder', async ({ task: _ }, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'portal-'))
  onCleanup(() => rmSync(folder, { recursive: true, force: true }))
  return folder
})

inFolder('only verified backups count, and all but the last of them are deleted', ({ folder }) => {
  const paths = [3, 2, 1, 0].map((days) => pathOf(folder, NOW - days * DAY))
  for (const path of paths) writeFileSync(path, '')
  const later = unverified(pathOf(folder, NOW + DAY))
  writeFileSync(later, '')
  writeFileSync(join(folder, 'mine.backup'), '')
  prune(folder, { keep: 2, now: NOW })
  expect(verifiedIn(folder)).toEqual(['portal-20261115T120000Z.backup', 'portal-20261116T120000Z.backup'])
  writeFileSync(pathOf(folder, NOW + 1000 * DAY), '')
  writeFileSync(join(folder, 'mine.partial'), '')
  utimesSync(join(folder, 'mine.partial'), 0, 0)
  prune(folder, { keep: 1, now: NOW })
  expect(readdirSync(folder).sort(), 'others are left').toEqual([
    'mine.backup',
    'mine.partial',
    'portal-20261116T120000Z.backup',
    'portal-20261117T120000Z.backup.unverified',
    'portal-20290812T120000Z.backup',
  ])
})

inFolder('two portals do not share a folder', ({ folder }) => {
  requireOwnFolder(folder, 'other')
  takeFolder(folder, 'one')
  requireOwnFolder(folder, 'one')
  expect(() => requireOwnFolder(folder, 'other')).toThrow(
    /has the backups of another portal: set BACKUP_DIR to another/,
  )
})

inFolder('what killed processes have left is deleted a day later', ({ folder }) => {
  const left = [
    '.portal-20261116T120000Z.backup.unverified.0a1b2c3d.partial',
    'portal-20261116T120000Z.backup.unverified',
  ]
  for (const name of left) writeFileSync(join(folder, name), '')
  mkdirSync(join(folder, 'portal-verify-aBc123'))
  prune(folder, { keep: 1, now: Date.now() })
  expect(readdirSync(folder)).toHaveLength(3)
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), 0, 0)
  prune(folder, { keep: 1, now: Date.now() })
  expect(readdirSync(folder)).toEqual([])
})

const it = inWorld(startWorld).extend('opened', async ({ world }, { onCleanup }) => {
  let now = NOW
  const database = await openDatabase(readConfig(world.storage.env), { now: () => now })
  onCleanup(() => database.close())
  const claim = (claimant: string, hasNone = false) => claimBackup(database, { claimant, everyMs: DAY, hasNone })
  return {
    claim,
    renew: (claimant: string) => renewClaim(database, claimant),
    release: (claimant: string, verifiedAt?: number) => releaseClaim(database, claimant, verifiedAt),
    pass: (ms: number) => {
      now += ms
      return now
    },
  }
})

it('one process at a time makes backups, as often as it is set, and sooner after a failure', async ({ opened }) => {
  const { claim, renew, release, pass } = opened
  expect([await claim('one'), await claim('two')]).toEqual([true, false])
  pass(MINUTE)
  await renew('one')
  pass(1.5 * MINUTE)
  expect(await claim('two'), 'the other one is still at it').toBe(false)
  await release('one')
  expect(await claim('two'), 'it has failed just now').toBe(false)
  const at = pass(10 * MINUTE)
  expect(await claim('two')).toBe(true)
  await release('one', at)
  expect(await claim('one'), 'only the claimant gives it back').toBe(false)
  await release('two', at)
  pass(DAY - HOUR)
  expect(await claim('one')).toBe(false)
  expect(await claim('one', true), 'there is none in its folder').toBe(true)
  pass(HOUR)
  expect(await claim('two'), 'from a process that was killed').toBe(true)
})

it('what was written while the clock was ahead by years does not count once that is right', async ({ opened }) => {
  const { claim, release, pass } = opened
  const at = pass(1000 * DAY)
  expect(await claim('one')).toBe(true)
  await release('one', at)
  pass(-1000 * DAY)
  expect(await claim('one')).toBe(true)
  expect(await claim('two'), 'the other one is at it').toBe(false)
})
