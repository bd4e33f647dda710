import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { OperatorError } from '../lib/app-error.ts'
import { codeOf } from '../lib/error-text.ts'
import { makePrivateFolder } from '../lib/private-files.ts'
import { someBytes } from '../lib/random.ts'

const FILE = 'portal.secret'
const SHORTEST = 32

/** The secret of this portal, created when it has none. */
export const portalSecretOf = ({ portalSecret, dataDir }: Pick<Config, 'portalSecret' | 'dataDir'>): string =>
  portalSecret ?? readSecretFile(dataDir)

/** The secret in the folder, created when there is none; processes that start at once get the same one. */
export function readSecretFile(folder: string): string {
  const path = join(folder, FILE)
  return requireLong(path, read(path) ?? make(path))
}

/** The secret in the folder; undefined: there is none yet. */
export function readExistingSecret(folder: string): string | undefined {
  const path = join(folder, FILE)
  const secret = read(path)
  return secret === undefined ? undefined : requireLong(path, secret)
}

function requireLong(path: string, secret: string): string {
  if (secret.length >= SHORTEST) return secret
  throw new OperatorError(`The file ${path} is damaged: restore it from a backup, or remove it to get another secret.`)
}

/** The secret that this portal has; undefined: none has been needed yet. */
export const findSecret = ({ portalSecret, dataDir }: Pick<Config, 'portalSecret' | 'dataDir'>): string | undefined =>
  portalSecret ?? read(join(dataDir, FILE))

/** Puts the secret of a restored database in its place, at once. */
export function replaceSecretFile(folder: string, secret: string, name = FILE): void {
  const path = join(folder, name)
  makePrivateFolder(folder)
  const mine = writeBeside(path, secret)
  const { uid, gid } = statSync(folder)
  if (process.getuid?.() === 0) chownSync(mine, uid, gid) // for the user whom the portal runs as
  const before = read(path)
  if (before !== undefined && before !== secret) renameSync(path, `${path}.${someBytes(8).toString('hex')}`) // it may be needed again
  renameSync(mine, path)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new OperatorError(`The file ${path} cannot be read: check its owner.`, error)
  }
}

/** Written to a temporary file and then linked, which fails for all but the first: nobody ever reads a partial file. */
function make(path: string): string {
  const mine = writeBeside(path, someBytes(32).toString('hex'))
  try {
    linkSync(mine, path)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(mine)
  }
  return read(path) ?? ''
}

function writeBeside(path: string, secret: string): string {
  const mine = `${path}.${someBytes(8).toString('hex')}`
  const file = openSync(mine, 'wx', 0o600)
  try {
    writeSync(file, `${secret}\n`)
    fsyncSync(file)
    return mine
  } catch (error) {
    rmSync(mine)
    throw error
  } finally {
    closeSync(file)
  }
}
