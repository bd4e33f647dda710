import { readFileSync } from 'node:fs'
import { readSecretVariables } from '../server/config/secret-variables.ts'
import { SHORTEST_PASSPHRASE } from '../server/config.ts'
import { OperatorError } from '../server/lib/app-error.ts'
import { badInput } from '../server/lib/check.ts'
import { readNewPassphrase, readPassphrase } from './ask.ts'
import type { Terminal } from './terminal.ts'

export interface PassphraseOptions {
  encrypt?: boolean
  passphraseFile?: string
}

/** For a new backup; undefined: it is not to be encrypted. */
export async function newPassphrase(
  terminal: Terminal,
  { encrypt = false, passphraseFile }: PassphraseOptions,
): Promise<string | undefined> {
  const given = givenPassphrase(terminal, passphraseFile)
  if (given === undefined && !encrypt) return undefined
  const passphrase = given ?? (await readNewPassphrase(terminal))
  if (!passphrase) throw badInput('passphrase', 'passphrase: none was given. Type it, or pipe it in as the first line.')
  if ([...passphrase].length < SHORTEST_PASSPHRASE)
    throw badInput('passphrase', `passphrase: ${SHORTEST_PASSPHRASE} characters or more.`)
  return passphrase
}

/** For a backup that turns out to be encrypted. */
export async function passphraseOf(terminal: Terminal, { passphraseFile }: PassphraseOptions): Promise<string> {
  const passphrase = givenPassphrase(terminal, passphraseFile) ?? (await readPassphrase(terminal))
  if (passphrase) return passphrase
  throw new OperatorError(
    'The backup is encrypted: type its passphrase, pipe it in, give --passphrase-file, or set BACKUP_PASSPHRASE.',
  )
}

function givenPassphrase({ env }: Terminal, file: string | undefined): string | undefined {
  if (file === undefined) return readSecretVariables(env).env['BACKUP_PASSPHRASE'] || undefined
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/, 1)[0] ?? ''
  } catch (error) {
    throw new OperatorError(`The file ${file} with the passphrase cannot be read: check the path and its owner.`, error)
  }
}
