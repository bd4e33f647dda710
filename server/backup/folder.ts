import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { OperatorError } from '../lib/app-error.ts'
import { DAY } from '../lib/clock.ts'
import { makePrivateFolder } from '../lib/private-files.ts'
import { PARTIAL } from './make.ts'
import { SCRATCH } from './verify.ts'

/** A scheduled backup has this name only once it is verified. */
const VERIFIED = /^portal-\d{8}T\d{6}Z\.backup$/
/** What a killed process leaves behind. Younger ones may be in use. */
const LEFT_BEHIND = new RegExp(
  `^portal-\\d{8}T\\d{6}Z\\.backup\\.unverified$|^\\.portal-\\d{8}T\\d{6}Z\\.backup\\.unverified\\.[0-9a-f]{8}\\${PARTIAL}$|^${SCRATCH}\\w{6}$`,
)
const OLD_MS = DAY
/** Names the portal that makes backups there. */
const OWNER = '.portal-installation'

/** The path of a backup of this time. In the order of the names, they are in the order of time. */
export const pathOf = (folder: string, at: number) =>
  join(folder, `portal-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}.backup`)

export const unverified = (path: string) => `${path}.unverified`

/** Creates the folder if needed; throws unless it can be written to. */
export function requireFolder(folder: string): void {
  try {
    makePrivateFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new OperatorError(
      `The folder ${folder} cannot be written to: set BACKUP_DIR to one that can, or change its owner.`,
      error,
    )
  }
}

/** Throws if the folder has the backups of another portal, which the two would delete for each other. */
export function requireOwnFolder(folder: string, installation: string): void {
  const path = join(folder, OWNER)
  if (!existsSync(path) || readFileSync(path, 'utf8') === installation) return
  throw new OperatorError(
    `The folder ${folder} has the backups of another portal: set BACKUP_DIR to another one, or remove the file ${OWNER} in it.`,
  )
}

export function takeFolder(folder: string, installation: string): void {
  const path = join(folder, OWNER)
  if (existsSync(path)) return
  writeFileSync(`${path}.new`, installation, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

export const verifiedIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => VERIFIED.test(name))
    .sort()

/** Deletes all but the last verified ones and what killed processes left. A later time is of a clock that was ahead. */
export function prune(folder: string, { keep, now }: { keep: number; now: number }): string[] {
  const old = readdirSync(folder).filter((name) => LEFT_BEHIND.test(name) && isOld(join(folder, name), now))
  const latest = basename(pathOf(folder, now))
  const surplus = [
    ...verifiedIn(folder)
      .filter((name) => name <= latest)
      .slice(0, -keep),
    ...old,
  ]
  for (const name of surplus) rmSync(join(folder, name), { recursive: true, force: true })
  return surplus
}

const isOld = (path: string, now: number) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) < now - OLD_MS
